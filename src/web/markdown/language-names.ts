/** Names that mean a language when they are a class of their own, or a label beside the code. */
const known = new Set(
  (
    "abap ada apache applescript arduino arm asciidoc asm assembly astro autohotkey awk bash basic bat batch bicep c c# c++ cc " +
    "clojure common-lisp emacs-lisp cmake cmd cobol coffee coffeescript console cpp cql crystal cs csharp css csv cuda curl cypher cython d dart " +
    "dax delphi diff docker dockerfile dos dotenv elisp elixir elm erb erlang f# fish fortran fsharp gdscript gherkin git glsl " +
    "go golang gradle graphql groovy haml handlebars haskell haxe hcl hlsl html http ini io ipython ipython3 java " +
    "javascript jinja jinja2 jl js json json5 jsonc jsonnet jsonp jsp jsx julia kotlin kql kt kusto latex less lisp llvm " +
    "lua m4 make makefile markdown markup mathematica matlab md mdx mermaid mips mjs mongodb mysql nasm nginx nim nix nunjucks " +
    "objc objective-c objectivec ocaml octave odin pascal perl pgsql php pl plantuml plpgsql plsql postgresql powershell prisma " +
    "prolog properties proto protobuf ps1 pug puppet purescript py pycon python python2 python3 q qml r racket raku " +
    "rb reason regex rest rst ruby rs rust sas sass scala scheme scss sh shell shell-session shellsession sh-session sml " +
    "smalltalk solidity sparql sql stata styl stylus svelte svg swift systemverilog tcl terraform tex text tf toml ts tsql tsx " +
    "twig txt typescript vala vb vba vbnet verilog vhdl vim viml vue wasm wat xhtml xml xquery xslt yaml yml zig zsh"
  ).split(" "),
);
/** Names for no language at all. */
const none = new Set(
  "none no plain plaintext text txt default nohighlight no-highlight nolang raw plain-text output literal undefined null auto".split(
    " ",
  ),
);
/** Spellings of generators and of scopes of editors, and what other tools call the same. */
const renamed: Readonly<Record<string, string>> = {
  "text-html-basic": "html",
  "text-html-erb": "erb",
  "text-html-vue": "vue",
  "text-html-django": "jinja",
  "text-html-php": "php",
  "text-xml": "xml",
  "text-md": "markdown",
  "source-cs": "csharp",
  "c++": "cpp",
  "source-c++": "cpp",
  "c#": "csharp",
  "f#": "fsharp",
  golang: "go",
  "objective-c": "objectivec",
  "visual basic": "vb",
  "command line": "shell",
  terminal: "shell",
  "azure cli": "azurecli",
  javascript: "javascript",
};

export function isLanguageName(name: string): boolean {
  return known.has(name.toLowerCase());
}

/** The name to write after a fence: lower case, without the words of generators; empty when it is not a language. */
export function languageName(raw: string): string {
  const lower = raw
    .trim()
    .toLowerCase()
    .replace(/^[.{]+|[}\s]+$/g, "");
  const name = (renamed[lower] ?? lower.replace(/^source-/, "")).replace(/^text-(?=\w)/, "");
  if (none.has(name) || !/^[a-z0-9][a-z0-9+#._-]{0,30}$/.test(name)) return "";
  return renamed[name] ?? name;
}
