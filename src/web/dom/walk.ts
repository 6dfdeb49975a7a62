import { isTag } from "domhandler";

import type { HtmlDocument, HtmlElement } from "./parse-html.ts";

/** The next step of the walk after an element was visited. */
export type WalkStep = "into" | "past";

/**
 * Visits the elements below `root` in document order, without recursion: pages nest as deep as they like.
 * `visit` may remove the element that it is given, and whatever comes after it in the document.
 */
export function walkElements(
  root: HtmlDocument | HtmlElement,
  visit: (element: HtmlElement) => WalkStep,
): void {
  const waiting: HtmlElement[] = [];
  pushChildren(root, waiting);
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (visit(element) === "into") pushChildren(element, waiting);
  }
}

function pushChildren({ children }: HtmlDocument | HtmlElement, waiting: HtmlElement[]): void {
  for (let index = children.length - 1; index >= 0; index--) {
    const child = children[index];
    if (child !== undefined && isTag(child)) waiting.push(child);
  }
}

/** The first element below `root`, in document order, that `matches`. */
export function findElement(
  root: HtmlDocument | HtmlElement,
  matches: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  const waiting: HtmlElement[] = [];
  pushChildren(root, waiting);
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (matches(element)) return element;
    pushChildren(element, waiting);
  }
  return undefined;
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
