import type { HtmlElement } from "../dom/parse-html.ts";
import {
  attribute,
  classesOf,
  findElement,
  parentOf,
  shortText,
  siblingsBefore,
} from "../dom/element.ts";
import { isLanguageName, languageName } from "./language-names.ts";

/** How far above a block of code its language may be written: containers of highlighters are no deeper. */
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
