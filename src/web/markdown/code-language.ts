import { type HtmlElement, findElement } from "../dom/parse-html.ts";
import { attribute, classesOf, parentOf, shortText, siblingsBefore } from "../dom/element.ts";

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
/** Spellings of generators and of scopes of editors, with the usual name of each language. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["text-html-basic", "html"],
  ["text-html-erb", "erb"],
  ["text-html-vue", "vue"],
  ["text-html-django", "jinja"],
  ["text-html-php", "php"],
  ["text-xml", "xml"],
  ["text-md", "markdown"],
  ["source-cs", "csharp"],
  ["c++", "cpp"],
  ["source-c++", "cpp"],
  ["c#", "csharp"],
  ["f#", "fsharp"],
  ["golang", "go"],
  ["objective-c", "objectivec"],
  ["visual basic", "vb"],
  ["command line", "shell"],
  ["terminal", "shell"],
  ["azure cli", "azurecli"],
  ["javascript", "javascript"],
]);

function isLanguageName(name: string): boolean {
  return known.has(name.toLowerCase());
}

/** The name to write after a fence: lower case, without the words of generators; empty when it is not a language. */
export function languageName(raw: string): string {
  const lower = raw
    .trim()
    .toLowerCase()
    .replace(/^[.{]+|[}\s]+$/g, "");
  const name = (renamed.get(lower) ?? lower.replace(/^source-/, "")).replace(/^text-(?=\w)/, "");
  if (none.has(name) || !/^[a-z0-9][a-z0-9+#._-]{0,30}$/.test(name)) return "";
  return renamed.get(name) ?? name;
}

/** How far above a block of code its language may be written: containers of highlighters are not deeper. */
const ancestorsMax = 3;

const languageAttributes = [
  "data-lang",
  "data-language",
  "data-code-lang",
  "data-code-language",
  "data-enlighter-language",
  "data-prismjs-lang",
  "data-highlight-language",
  "language",
  "syntax",
];
/** Class names that carry a language: Prism, highlight.js, GitHub, Sphinx, Rouge, Pandoc, Org, Asciidoctor, MDN and their kin. */
const prefixes = [
  /^(?:language|lang|hljs-language|brush|code-language|syntax|prettyprint-lang)[-:_](.+)$/i,
  /^highlight-(source-.+|text-.+)$/,
  /^mw-highlight-lang-(.+)$/,
  /^(?:highlight|hl|codehilite|src|source|code-block|snippet|sp|gatsby-code)-(.+)$/i,
  /^lang:(.+)$/i,
];
/** Words after such a prefix that are not languages. */
const noLanguage =
  /^(?:copy|wrapper|container|code|block|line|lines|toolbar|inline|pre|body|header|content|group|tab|tabs|example|examples|title|caption|source|light|dark|decode|\d.*)$/i;
/** A class that the language follows as a class of its own. */
const leaders = new Set([
  "sourcecode",
  "src",
  "hljs",
  "brush:",
  "code",
  "highlight",
  "prettyprint",
  "programlisting",
  "codehilite",
  "listing",
  "chroma",
  "screen",
  "literal-block",
  "shiki",
  "crayon",
  "syntaxhighlighter",
]);
const labelClass =
  /(?:^|[\s_-])(?:lang|language|code-?lang|code-?language|code-header|codeheader|label)(?:[\s_-]|$)/i;
/** A label is a word or two. */
const labelCharsMax = 24;

/**
 * The language of a block of code, from its own marks, those of its content and of the elements around it; empty when
 * none says.
 */
export function codeLanguage(pre: HtmlElement): string {
  // mdBook writes `pre` in `pre`, and the language on the `code` in that.
  const isWithin = ["pre", "code"].flatMap(
    (inner) => findElement(pre, ({ name }) => name === inner) ?? [],
  );
  const around: HtmlElement[] = [];
  for (
    let parent = parentOf(pre);
    parent !== undefined && around.length < ancestorsMax;
    parent = parentOf(parent)
  ) {
    if (holdsOtherCode(parent)) break;
    around.push(parent);
  }
  for (const element of [pre, ...isWithin, ...around]) {
    const name = namedBy(element);
    if (name !== undefined) return name;
  }
  for (const element of [pre, ...isWithin, ...around.slice(0, 2)]) {
    const bare = bareName(element);
    if (bare !== "") return bare;
  }
  return labelBeside([pre, ...around.slice(0, 2)]);
}

/** A container of the whole page is not the container of one block: its marks are ignored. */
function holdsOtherCode(element: HtmlElement): boolean {
  return ["body", "main", "article", "html"].includes(element.name);
}

/** The language that an element says it has; empty = says that it has none; undefined = does not say. */
function namedBy(element: HtmlElement): string | undefined {
  for (const attributeName of languageAttributes) {
    const value = attribute(element, attributeName);
    if (value !== "") return languageName(value);
  }
  const brush = /\bbrush:\s*([^\s;]+)/.exec(
    attribute(element, "data-syntaxhighlighter-params"),
  )?.[1];
  if (brush !== undefined) return languageName(brush);
  const own = attribute(element, "lang");
  if (own !== "" && (element.name === "pre" || element.name === "code") && isLanguageName(own))
    return languageName(own);
  const classes = classesOf(element);
  for (const [index, name] of classes.entries()) {
    if (/^brush:?$/.test(name))
      return languageName((classes[index + 1] ?? "").replace(/[;:]/g, ""));
    const found = prefixed(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function prefixed(className: string): string | undefined {
  for (const prefix of prefixes) {
    const rest = prefix.exec(className)?.[1];
    if (rest === undefined || noLanguage.test(rest)) continue;
    const name = languageName(rest.replace(/[;"']/g, ""));
    const isSure = /^(?:language|lang|brush|highlight-|mw-highlight-lang)/i.test(className);
    if (isSure || isLanguageName(name)) return name;
  }
  return undefined;
}

/** A class that is nothing but the name of a language, after a class that highlighters use or on the code itself. */
function bareName(element: HtmlElement): string {
  const classes = classesOf(element).map((name) => name.toLowerCase().replace(/[;:]$/, ""));
  const isCode =
    element.name === "pre" || element.name === "code" || classes.some((name) => leaders.has(name));
  if (!isCode) return "";
  const bare = classes.find(
    (name) => isLanguageName(name) && !leaders.has(name) && name.length > 1,
  );
  return bare === undefined ? "" : languageName(bare);
}

/** A small element before the code that has the name of a language as its only text. */
function labelBeside(elements: readonly HtmlElement[]): string {
  for (const element of elements) {
    for (const sibling of siblingsBefore(element, 3)) {
      const text = shortText(sibling, labelCharsMax);
      if (text !== undefined && isLanguageLabel(sibling, text)) return languageName(text);
    }
  }
  return "";
}

/** True for an element that names the language of the code beside it. */
export function isLanguageLabel(element: HtmlElement, text: string): boolean {
  if (text === "" || text.length > labelCharsMax) return false;
  return (
    labelClass.test(element.attribs["class"] ?? "") &&
    (isLanguageName(text) || languageName(text) !== text.toLowerCase())
  );
}
