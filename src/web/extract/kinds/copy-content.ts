import { Element, Text, isTag, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { appendNode } from "./append-node.ts";
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
