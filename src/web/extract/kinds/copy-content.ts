import { type ChildNode, Element, isTag, isText, Text } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { isFurniture } from "./is-furniture.ts";

/**
 * A deep copy of `element`, without the buttons, forms and other furniture of every record, and without elements that
 * `isDropped`. Attributes are shared with the original. No recursion.
 */
export function copyContent(
  element: HtmlElement,
  isDropped: (element: HtmlElement) => boolean = () => false,
): HtmlElement {
  const root = copyOf(element);
  const waiting: { from: HtmlElement; to: HtmlElement }[] = [{ from: element, to: root }];
  for (let top = waiting.pop(); top !== undefined; top = waiting.pop()) {
    for (const child of top.from.children) {
      const copy = copyNode(child, isDropped);
      if (copy === undefined) continue;
      appendNode(top.to, copy);
      if (isTag(child) && isTag(copy)) waiting.push({ from: child, to: copy });
    }
  }
  return root;
}

function copyNode(
  node: ChildNode,
  isDropped: (element: HtmlElement) => boolean,
): ChildNode | undefined {
  if (isText(node)) return new Text(node.data);
  if (!isTag(node) || isFurniture(node) || isDropped(node)) return undefined;
  return copyOf(node);
}

function copyOf({ name, attribs }: HtmlElement): HtmlElement {
  return new Element(name, attribs);
}

/** Makes `child`, which has no parent, the last child of `parent`. */
export function appendNode(parent: HtmlElement, child: ChildNode): void {
  const last = parent.children.at(-1) ?? null;
  child.parent = parent;
  child.prev = last;
  child.next = null;
  if (last !== null) last.next = child;
  parent.children.push(child);
}

/** All ancestors of any of `elements`. */
export function holdersOf(elements: Iterable<HtmlElement>): Set<HtmlElement> {
  const holders = new Set<HtmlElement>();
  for (const element of elements) {
    let parent = element.parent;
    while (parent !== null && isTag(parent) && !holders.has(parent)) {
      holders.add(parent);
      parent = parent.parent;
    }
  }
  return holders;
}
