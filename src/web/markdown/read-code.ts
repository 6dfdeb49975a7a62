import { type ChildNode, isTag, isText } from "domhandler";

import { cleanText } from "../dom/clean-text.ts";
import { attribute, descendants, hasClass, shortText, textOf } from "../dom/element.ts";
import { findElement, type HtmlElement } from "../dom/parse-html.ts";
import { codeLanguage } from "./code-language.ts";
import { isUnreadName } from "./conversion.ts";
import type { Block } from "./write-markdown.ts";

/** Editors and highlighters that show code without `pre`. */
const codeClass =
  /(?:^|\s)(?:CodeMirror-code|cm-content|view-lines|ace_text-layer|syntaxhighlighter|EnlighterJSRAW)(?:\s|$)/;
const tableClass =
  /(?:^|\s)(?:highlighttable|lntable|rouge-table|js-file-line-container|hljs-ln|codehilitetable|crayon-table|linenotable|highlight)(?:\s|$)/;
const codeCell = /(?:^|\s)(?:linenos?|lntd|blob-code|rouge-code|gutter|crayon-code)(?:\s|$)/;
const codeLook =
  /(?:^|[\s_-])(?:language|lang|hljs|prettyprint|highlight|sourcecode|source-?code|block|shiki|prism)(?:[\s_:-]|$)/i;

/** True for an element that is one block of code. */
export function isCodeBlock(element: HtmlElement): boolean {
  switch (element.name) {
    case "pre":
    case "listing":
    case "xmp":
    case "plaintext":
      return true;
    case "table":
      return hasClass(element, tableClass) || isCodeTable(element);
    case "code":
    case "samp":
      return isMultiline(element);
    default:
      return hasClass(element, codeClass) || isDoxygen(element);
  }
}

/** The block of code that an element is; undefined when there is nothing in it. */
export function readCode(element: HtmlElement): Block | undefined {
  const text = codeText(element);
  return text === "" ? undefined : { kind: "code", language: codeLanguage(element), text };
}

/** Doxygen shows code as lines in a box, and no more. */
function isDoxygen(element: HtmlElement): boolean {
  if (element.name !== "div" || !hasClass(element, /(?:^|\s)fragment(?:\s|$)/)) return false;
  const [first] = element.children.filter(isTag);
  return first?.name === "div" && hasClass(first, /(?:^|\s)line(?:\s|$)/);
}

function isCodeTable(table: HtmlElement): boolean {
  let cells = 0;
  for (const node of descendants(table, ({ name }) => name === "td")) {
    if (!isTag(node) || node.name !== "td") continue;
    if (hasClass(node, codeCell))
      return (
        findElement(table, ({ name }) => name === "pre" || name === "code") !== undefined ||
        hasClass(node, /blob-code/)
      );
    if (++cells >= 2) return false;
  }
  return false;
}

/** Code of several lines that has no `pre` around it, but marks its lines as significant by class or line breaks. */
function isMultiline(code: HtmlElement): boolean {
  let breaks = 0;
  let hasLineEnd = false;
  for (const node of descendants(code)) {
    if (isText(node)) hasLineEnd ||= node.data.trim().includes("\n");
    else if (isTag(node) && (node.name === "br" || node.name === "div")) breaks++;
  }
  if (breaks >= 2) return true;
  const isLaidOut =
    hasClass(code, codeLook) ||
    /white-space\s*:\s*(?:pre|break-spaces)|display\s*:\s*block/.test(code.attribs["style"] ?? "");
  return (hasLineEnd || breaks > 0) && isLaidOut;
}

/** Numbers of lines, of Pygments, Chroma, Rouge, highlight.js, GitHub, CodeMirror and their kin; never on the code itself. */
const gutterClass =
  /(?:^|\s)(?:linenos?|line-?nos?|lineno(?:s|div)?|linenodiv|line-?numbers?(?:-rows)?|ln|lnt|lnlinks|gutter|code-gutter|rouge-gutter|blob-num|hljs-ln-numbers|hljs-ln-n|CodeMirror-(?:gutter|linenumber)\S*|cm-gutters?|line-number|react-syntax-highlighter-line-number|linenumber|highlight-line-number|expressive-gutter|src-line-numbers|crayon-nums?)(?:\s|$)/;
const copyClass =
  /(?:^|[\s_-])(?:copy|copybtn|clipboard|copy-?code|copy-?button|btn-copy|toolbar|code-?header|tooltip|test-arrow|run-button|collapse-toggle|code-block__caption|buttonGroup\S*)(?:[\s_-]|$)/i;
const lineClass =
  /(?:^|\s)(?:line|code-?line|token-line|view-line|cm-line|ec-line|CodeMirror-line|cl|hljs-ln-line|crayon-line|row-line|codeline)(?:\s|$)/;
const lineBlocks = new Set([
  "div",
  "p",
  "li",
  "tr",
  "dd",
  "dt",
  "pre",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
]);
/** Classes of a whole block of line numbers. */
const gutterBlockClass = /(?:^|\s)(?:lineno|src-line-numbers|line-numbers-wrapper)(?:\s|$)/;
/** Controls to click on, and pictures. */
const widgetNames = new Set(["button", "clipboard-copy", "img"]);
const tableParts = new Set(["table", "tbody", "thead", "tfoot", "tr"]);
/** Whether lines end themselves shows in the first few. */
const linesLookedAt = 8;
/** Fewer lines than this may well be a list of numbers. */
const numberedLinesMin = 4;
/** Elements inside code; deeper ones are read as text of their container. */
const depthMax = 512;

/** The text of a block of code as it was written: without numbers of lines, buttons and labels, line ends where lines end. */
function codeText(code: HtmlElement): string {
  const out = new CodeLines();
  appendAll(code, out, 0);
  const text = out
    .toString()
    .replace(/^(?:[ \t]*\n)+/, "")
    .replace(/\s+$/, "");
  return withoutNumberLines(text);
}

/** Numbers without a class of their own become lines between those of the code: 1, 2, 3 and so on, every other line. */
function withoutNumberLines(text: string): string {
  const lines = text.split("\n");
  if (lines.length < numberedLinesMin) return text;
  const isNumbered = lines.every(
    (line, index) => index % 2 === 1 || line.trim() === `${index / 2 + 1}`,
  );
  return isNumbered ? lines.filter((_, index) => index % 2 === 1).join("\n") : text;
}

/** True for an element in or beside code that does not belong to it. */
function isCodeFurniture(element: HtmlElement): boolean {
  const { name } = element;
  if (isUnreadName(name) && name !== "textarea") return true;
  if (widgetNames.has(name)) return true;
  if (name === "code") return false;
  if (name === "pre") return hasClass(element, gutterBlockClass) && isNumbers(element);
  if (hasClass(element, gutterClass)) return isNumbers(element);
  if (holdsCopy(element)) return true;
  if (hasClass(element, copyClass)) return shortText(element, 60) !== undefined;
  return isPassedOver(element) && isNumbers(element);
}

/** True for an element that has the text that a click copies. */
function holdsCopy({ attribs }: HtmlElement): boolean {
  return attribs["data-clipboard-text"] !== undefined || attribs["data-copy"] !== undefined;
}

/** True for an element that is not read out, selected, or shown by search engines. */
function isPassedOver(element: HtmlElement): boolean {
  return (
    attribute(element, "aria-hidden") === "true" ||
    /user-select\s*:\s*none/.test(attribute(element, "style")) ||
    element.attribs["data-nosnippet"] !== undefined
  );
}

function isNumbers(element: HtmlElement): boolean {
  return /^[\d\s|.:]*$/.test(textOf(element));
}

/** Text with line ends that are added only where none is. */
class CodeLines {
  readonly #parts: string[] = [];
  #last = "\n";

  add(text: string): void {
    if (text === "") return;
    this.#parts.push(text);
    this.#last = text.at(-1) ?? "";
  }

  endLine(): void {
    if (this.#last !== "\n") this.add("\n");
  }

  toString(): string {
    return this.#parts.join("");
  }
}

function appendAll(element: HtmlElement, out: CodeLines, depth: number): void {
  const isTable = tableParts.has(element.name);
  const isSplit = element.name !== "tr" && isSplitInLines(element, isTable);
  let lines = 0;
  for (const child of element.children) {
    if (isText(child) && isTable) continue;
    if (!isSplit || !isTag(child) || isCodeFurniture(child)) appendNode(child, out, depth);
    else if (isLine(child)) {
      if (lines++ > 0) out.add("\n");
      const line = new CodeLines();
      appendAll(child, line, depth + 1);
      out.add(line.toString().replace(/\n$/, ""));
    } else appendNode(child, out, depth);
  }
}

function appendNode(node: ChildNode, out: CodeLines, depth: number): void {
  if (isText(node)) out.add(cleanText(node.data));
  if (!isTag(node) || isCodeFurniture(node)) return;
  if (node.name === "br") out.add("\n");
  else if (depth >= depthMax) out.add(textOf(node));
  else if (!lineBlocks.has(node.name)) appendAll(node, out, depth + 1);
  else {
    out.endLine();
    appendAll(node, out, depth + 1);
    out.endLine();
  }
}

/** True when each child is one line, and nothing in or between them ends it. */
function isSplitInLines(element: HtmlElement, isTable: boolean): boolean {
  const lines = element.children
    .filter(isTag)
    .filter((child) => isLine(child) && !isCodeFurniture(child));
  const [first] = lines;
  if (first === undefined || lines.length < 2) return false;
  if (!isTable && element.children.some(endsLine)) return false;
  return !lines.slice(0, linesLookedAt).some((line) => endsItself(line));
}

function endsLine(node: ChildNode): boolean {
  return isText(node) ? node.data.includes("\n") : isTag(node) && node.name === "br";
}

function isLine(element: HtmlElement): boolean {
  return (
    lineBlocks.has(element.name) ||
    hasClass(element, lineClass) ||
    element.attribs["data-line"] !== undefined
  );
}

function endsItself(line: HtmlElement): boolean {
  let last: ChildNode | undefined = line.children.at(-1);
  for (let steps = 0; last !== undefined && isTag(last) && steps < depthMax; steps++) {
    if (last.name === "br") return line.children.length > 1 || !lineBlocks.has(line.name);
    last = last.children.at(-1);
  }
  return last !== undefined && isText(last) && last.data.endsWith("\n");
}
