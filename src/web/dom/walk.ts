import { type ChildNode, isTag, type ParentNode } from "domhandler";

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

/**
 * Takes those children out of `parent` that `isRetained` says no to. One pass: taking a million nodes out one
 * by one takes as many searches through their siblings.
 */
export function retainChildren(
  parent: ParentNode,
  isRetained: (child: ChildNode) => boolean,
): void {
  const { children } = parent;
  // Most elements lose nothing: they cost no list.
  const first = children.findIndex((child) => !isRetained(child));
  if (first === -1) return;
  const retained = children.slice(0, first);
  const removed = children.slice(first, first + 1);
  for (const child of children.slice(first + 1)) {
    (isRetained(child) ? retained : removed).push(child);
  }
  for (const child of removed) {
    child.parent = null;
    child.prev = null;
    child.next = null;
  }
  for (const [index, child] of retained.entries()) {
    child.prev = retained[index - 1] ?? null;
    child.next = retained[index + 1] ?? null;
  }
  parent.children = retained;
}
