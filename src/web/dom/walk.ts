import { isTag } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlDocument, HtmlElement } from "./parse-html.ts";

/** What becomes of the walk after an element was visited. */
export type WalkStep = "into" | "past";

/**
 * Visits the elements below `root` in document order, without recursion: pages nest as deep as they like.
 * `visit` may remove the element that it is given, and whatever comes after it in the document.
 */
export function walkElements(
  root: HtmlDocument | HtmlElement,
  visit: (element: HtmlElement) => WalkStep,
): void {
  const waiting: ChildNode[] = [];
  pushChildren(root, waiting);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isTag(node)) continue;
    if (visit(node) === "into") pushChildren(node, waiting);
  }
}

function pushChildren(node: HtmlDocument | HtmlElement, waiting: ChildNode[]): void {
  for (let index = node.children.length - 1; index >= 0; index--) {
    const child = node.children[index];
    if (child !== undefined) waiting.push(child);
  }
}

/** The first element below `root`, in document order, that `matches`. */
export function findElement(
  root: HtmlDocument | HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  let found: HtmlElement | undefined;
  walkElements(root, (element) => {
    if (found === undefined && matches(element)) found = element;
    return found === undefined ? "into" : "past";
  });
  return found;
}

/** All elements below `root`, in document order, that `matches`. */
export function findElements(
  root: HtmlDocument | HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement[] {
  const found: HtmlElement[] = [];
  walkElements(root, (element) => {
    if (matches(element)) found.push(element);
    return "into";
  });
  return found;
}
