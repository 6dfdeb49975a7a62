import { hasChildren, isComment, isDirective } from "domhandler";
import type { ParentNode } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { removeNode } from "../dom/remove-node.ts";
import { walkElements } from "../dom/walk.ts";
import { measureText, noText } from "./text-measure.ts";

/** Elements that show no text of the page. */
const unseenNames = new Set(
  "script style template link meta base title head svg canvas object embed applet iframe frame frameset input select textarea datalist progress meter audio map area param source track dialog".split(
    " ",
  ),
);

/** Above this part of the body's text an element is the page, which a script is going to show. */
const hiddenTextPartMax = 0.5;

/** Takes scripts, styles, comments, form fields and all that is not shown out of `body`. */
export function removeUnseen(body: HtmlElement): void {
  removeComments(body);
  walkElements(body, (element) => {
    if (!isUnseen(element)) return "into";
    removeNode(element);
    return "past";
  });
  removeHidden(body);
}

function isUnseen({ name, attribs }: HtmlElement): boolean {
  // The formulas of MathJax are scripts.
  if (name === "script" && attribs["type"]?.startsWith("math/") === true) return false;
  return unseenNames.has(name);
}

function removeComments(body: HtmlElement): void {
  const waiting: ParentNode[] = [body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    // A copy, because removal changes the list.
    for (const child of [...node.children]) {
      if (isComment(child) || isDirective(child)) removeNode(child);
      else if (hasChildren(child)) waiting.push(child);
    }
  }
}

function removeHidden(body: HtmlElement): void {
  const measures = measureText(body);
  let bodyChars = 0;
  for (const child of body.children) {
    bodyChars += (measures.get(child as HtmlElement) ?? noText).chars;
  }
  walkElements(body, (element) => {
    const { chars } = measures.get(element) ?? noText;
    if (!isHidden(element) || chars > bodyChars * hiddenTextPartMax) return "into";
    removeNode(element);
    return "past";
  });
}

function isHidden({ attribs }: HtmlElement): boolean {
  const hidden = attribs["hidden"];
  // What is found by a search in the page is part of it.
  if (hidden !== undefined && hidden !== "until-found") return true;
  if (attribs["aria-hidden"] === "true") return true;
  const style = attribs["style"];
  return (
    style !== undefined &&
    /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|$|!)/i.test(
      style,
    )
  );
}
