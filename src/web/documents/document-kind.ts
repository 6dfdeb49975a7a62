/** The kind of a page, as far as reading it is concerned. */
export type DocumentKind =
  | { readonly kind: "html" }
  | { readonly kind: "json" }
  | { readonly kind: "xml" }
  | { readonly kind: "markdown" }
  | { readonly kind: "plain" }
  | { readonly kind: "source"; readonly language: string }
  | { readonly kind: "pdf" }
  | { readonly kind: "image" }
  | { readonly kind: "other" };

/** Types of source files by the names that servers use; those of `text/x-…` need no entry. */
const sourceTypes: ReadonlyMap<string, string> = new Map([
  ["text/css", "css"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
  ["text/javascript", "javascript"],
  ["application/javascript", "javascript"],
  ["application/x-javascript", "javascript"],
  ["application/ecmascript", "javascript"],
  ["application/typescript", "typescript"],
  ["application/yaml", "yaml"],
  ["application/x-yaml", "yaml"],
  ["text/yaml", "yaml"],
  ["application/toml", "toml"],
  ["application/sql", "sql"],
  ["application/graphql", "graphql"],
  ["application/x-sh", "bash"],
  ["application/x-httpd-php", "php"],
  ["application/x-python", "python"],
  ["application/x-ndjson", "json"],
  ["application/jsonl", "json"],
  ["application/json-seq", "json"],
]);

/** The kind of a content type; `text/plain` is looked at by the name of the file. */
export function documentKind(contentType: string, url: string): DocumentKind {
  const language = sourceTypes.get(contentType);
  if (language !== undefined) return { kind: "source", language };
  if (contentType === "text/html" || contentType === "application/xhtml+xml")
    return { kind: "html" };
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(contentType)) return { kind: "json" };
  if (contentType.startsWith("image/")) return { kind: "image" };
  if (/^(?:application|text)\/(?:[\w.-]+\+)?xml$/.test(contentType)) return { kind: "xml" };
  if (/^text\/(?:x-)?markdown$/.test(contentType)) return { kind: "markdown" };
  if (contentType === "application/pdf" || contentType === "application/x-pdf")
    return { kind: "pdf" };
  return contentType.startsWith("text/") ? byName(contentType, url) : { kind: "other" };
}

function byName(contentType: string, url: string): DocumentKind {
  const name = fileName(url);
  if (/\.(?:md|markdown|mdx)$/i.test(name)) return { kind: "markdown" };
  const language =
    sourceLanguage(name) ?? sourceLanguage(`.${contentType.replace(/^text\/(?:x-)?/, "")}`);
  return language === undefined ? { kind: "plain" } : { kind: "source", language };
}

/** The last part of the address; the host for the root of a site. */
export function fileName(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, hostname } = new URL(url);
  const last = pathname
    .split("/")
    .filter((part) => part !== "")
    .at(-1);
  if (last === undefined) return hostname;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

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
function sourceLanguage(name: string): string | undefined {
  const ending = /(?:^|\.)([^.]+)$/.exec(name.toLowerCase())?.[1];
  return ending === undefined || ending === "" ? undefined : byEnding.get(ending);
}
