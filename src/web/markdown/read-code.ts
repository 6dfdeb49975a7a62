import { isTag, isText } from "domhandler";

import { descendants, hasClass } from "../dom/element.ts";
import { findElement, type HtmlElement } from "../dom/parse-html.ts";
import { codeLanguage } from "./code-language.ts";
import { codeText } from "./code-text.ts";
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
