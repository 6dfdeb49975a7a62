/** Language → endings of its files; a language whose ending is its name is in `same`. */
const endings: Readonly<Record<string, string>> = {
  python: "py pyi python",
  javascript: "js mjs cjs",
  typescript: "mts cts",
  rust: "rs rustsrc",
  ruby: "rb gemspec",
  kotlin: "kt kts",
  csharp: "cs",
  fsharp: "fs fsx",
  cpp: "cc cxx hpp hh hxx c++ c++src",
  c: "h csrc",
  objectivec: "mm",
  java: "java-source",
  bash: "sh zsh shellscript",
  powershell: "ps1 psm1",
  yaml: "yml",
  perl: "pl pm",
  julia: "jl",
  haskell: "hs",
  elixir: "ex exs",
  erlang: "erl",
  clojure: "clj cljs edn",
  markdown: "",
  diff: "patch",
  hcl: "tf",
  latex: "tex",
  protobuf: "proto",
  batch: "bat cmd",
  dockerfile: "dockerfile containerfile",
  makefile: "makefile mk",
  ini: "cfg conf properties",
  jsonc: "json5",
};
const same =
  "c cpp csv css dart go graphql groovy html ini java json less lua nim nix php r sass scala scss sql svelte swift toml ts tsv tsx jsx vb vue wat xml yaml zig";

const byEnding: ReadonlyMap<string, string> = new Map([
  ...same
    .split(" ")
    .map((ending): [string, string] => [ending, ending === "ts" ? "typescript" : ending]),
  ...Object.entries(endings).flatMap(([language, list]) =>
    list.split(" ").map((ending): [string, string] => [ending, language]),
  ),
]);

/** The language of a source file by its name; undefined for other texts. */
export function sourceLanguage(name: string): string | undefined {
  const ending = /(?:^|\.)([^.]+)$/.exec(name.toLowerCase())?.[1];
  return ending === undefined || ending === "" ? undefined : byEnding.get(ending);
}
