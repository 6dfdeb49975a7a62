import { hasChildren, isTag, isText } from "domhandler";
import type { ChildNode, ParentNode } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { isHidden } from "../markdown/hidden.ts";
import { retainChildren } from "../dom/retain-children.ts";
import { measureText, noText } from "./text-measure.ts";

/** Elements that show no text of the page. */
const unseenNames = new Set(
  "script style template link meta base title head svg canvas object embed applet iframe frame frameset input select textarea datalist progress meter audio map area param source track dialog".split(
    " ",
  ),
);

/** Above this part of the body's text an element is the page, which a script is going to show. */
const hiddenTextPartMax = 0.5;
/** Less text, in characters, is no page, whatever part of it is hidden. */
const hiddenTextCharsMax = 200;

/** Takes scripts, styles, comments, form fields and all that is not shown out of `body`. */
export function removeUnseen(body: HtmlElement): void {
  removeChildren(body, (child) => isText(child) || (isTag(child) && !isUnseen(child)));
  const measures = measureText(body);
  let bodyChars = 0;
  for (const child of body.children) {
    if (isTag(child)) bodyChars += (measures.get(child) ?? noText).chars;
  }
  removeChildren(body, (child) => {
    if (!isTag(child) || !isHidden(child)) return true;
    const { chars } = measures.get(child) ?? noText;
    if (chars <= Math.max(bodyChars * hiddenTextPartMax, hiddenTextCharsMax)) return false;
    show(child);
    return true;
  });
}

/** Takes out of the tree below `body` all that `isRetained` says no to, with all below it. */
function removeChildren(body: HtmlElement, isRetained: (child: ChildNode) => boolean): void {
  const waiting: ParentNode[] = [body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    retainChildren(node, isRetained);
    for (const child of node.children) if (hasChildren(child)) waiting.push(child);
  }
}

function isUnseen({ name, attribs }: HtmlElement): boolean {
  // The formulas of MathJax are scripts.
  if (name === "script" && attribs["type"]?.startsWith("math/") === true) return false;
  return unseenNames.has(name);
}

/** What is written out of it later is asked the same question again. */
function show({ attribs }: HtmlElement): void {
  for (const name of ["hidden", "aria-hidden", "style", "class"]) delete attribs[name];
}
