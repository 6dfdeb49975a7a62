import { type ChildNode, isTag, isText } from "domhandler";

import type { HtmlElement } from "./parse-html.ts";
import { cleanText } from "./clean-text.ts";
import { pushNodes } from "./push-nodes.ts";

/** The most nodes in a small element: a look at one costs no more than this, however it is nested. */
const smallNodesMax = 64;
/** White space around a small text. */
const spacesMax = 200;

/** An attribute without unseen characters; empty when it is absent. */
export function attribute(element: HtmlElement, name: string): string {
  const value = element.attribs[name];
  return value === undefined ? "" : cleanText(value);
}

/** The class names, in their own spelling. */
export function classesOf(element: HtmlElement): readonly string[] {
  const value = element.attribs["class"];
  return value === undefined ? [] : value.split(/\s+/).filter((name) => name !== "");
}

export function hasClass(element: HtmlElement, expression: RegExp): boolean {
  const value = element.attribs["class"];
  return value !== undefined && expression.test(value);
}

export function parentOf(element: ChildNode): HtmlElement | undefined {
  return element.parent !== null && isTag(element.parent) ? element.parent : undefined;
}

/** All text below, as it is written; stops after `charsMax` characters, for looks that need no more. */
export function textOf(element: HtmlElement, charsMax = Number.POSITIVE_INFINITY): string {
  let text = "";
  for (const node of descendants(element)) {
    if (isText(node)) text += node.data;
    if (text.length >= charsMax) break;
  }
  return cleanText(text);
}

/** The text of a small element, white space collapsed; undefined when it has more characters or many nodes. */
export function shortText(element: HtmlElement, charsMax: number): string | undefined {
  let text = "";
  let nodes = 0;
  for (const node of descendants(element)) {
    if (++nodes > smallNodesMax) return undefined;
    if (!isText(node)) continue;
    text += node.data;
    if (text.length > charsMax + spacesMax) return undefined;
  }
  const short = cleanText(text).replace(/\s+/g, " ").trim();
  return short.length > charsMax ? undefined : short;
}

/** The element's siblings before it, nearest first, at most `count` of them. */
export function siblingsBefore(element: HtmlElement, count: number): HtmlElement[] {
  return siblings(element, count, (node) => node.prev);
}

/** The element's siblings after it, nearest first, at most `count` of them. */
export function siblingsAfter(element: HtmlElement, count: number): HtmlElement[] {
  return siblings(element, count, (node) => node.next);
}

function siblings(
  element: HtmlElement,
  count: number,
  step: (node: ChildNode) => ChildNode | null,
): HtmlElement[] {
  const found: HtmlElement[] = [];
  let node = step(element);
  for (let steps = 0; node !== null && steps < count * 2 && found.length < count; steps++) {
    if (isTag(node)) found.push(node);
    node = step(node);
  }
  return found;
}

/** Every node below `element` in document order, without using the call stack; `skips` are not entered. */
export function* descendants(
  element: HtmlElement,
  skips: (inner: HtmlElement) => boolean = () => false,
): Generator<ChildNode> {
  const stack: ChildNode[] = element.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if (isTag(node) && !skips(node)) pushNodes(node.children, stack);
  }
}

/** The first element below that fits, in document order. */
export function findElement(
  element: HtmlElement,
  fits: (inner: HtmlElement) => boolean,
): HtmlElement | undefined {
  for (const node of descendants(element)) if (isTag(node) && fits(node)) return node;
  return undefined;
}

/** Only child element, when there is no text beside it. */
export function soleChild(element: HtmlElement): HtmlElement | undefined {
  let found: HtmlElement | undefined;
  for (const node of element.children) {
    if (isText(node) && node.data.trim() !== "") return undefined;
    if (!isTag(node)) continue;
    if (found !== undefined) return undefined;
    found = node;
  }
  return found;
}

export function childrenNamed(element: HtmlElement, names: readonly string[]): HtmlElement[] {
  return element.children.filter(isTag).filter(({ name }) => names.includes(name));
}
