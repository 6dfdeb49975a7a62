import { isTag, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import { collapseSpace } from "../../dom/node-text.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";

/** Names, dates and prices have few nodes; pages that nest without end are not followed there. */
const nodesMax = 200;

/** The text of an element on one line; empty when it is longer than `charsMax` or in too many nodes. */
export function shortText(element: HtmlElement, charsMax: number): string {
  let text = "";
  const isWhole = visitNear(element, (node) => {
    if (isText(node)) text += node.data;
    return text.length > charsMax * 4;
  });
  if (!isWhole) return "";
  const line = collapseSpace(text);
  return line.length > charsMax ? "" : line;
}

/** The first element at or below `element` that `matches`, of the nearest ones. */
export function findNear(
  element: HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  let found: HtmlElement | undefined;
  visitNear(element, (node) => {
    if (isTag(node) && matches(node)) found = node;
    return found !== undefined;
  });
  return found;
}

/** Visits `root` and its descendants, in order, until `isEnough`; false when not all of it was visited. */
function visitNear(root: HtmlElement, isEnough: (node: ChildNode) => boolean): boolean {
  const waiting: ChildNode[] = [root];
  let visits = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (++visits > nodesMax || isEnough(node)) return false;
    if (!isTag(node)) continue;
    // The last of very many children would not be reached anyway.
    for (let index = Math.min(node.children.length, nodesMax) - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) waiting.push(child);
    }
    if (node.children.length > nodesMax) return false;
  }
  return true;
}
