import { hasChildren, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlDocument, HtmlElement } from "./parse-html.ts";
import { pushNodes } from "./push-nodes.ts";

const unevenSpace = /[^\S ]| {2}/;

/** The text below `root` as it is in the document, without recursion; at most about `charsMax` of it. */
export function nodeText(
  root: HtmlDocument | HtmlElement,
  charsMax: number = Number.POSITIVE_INFINITY,
): string {
  let text = "";
  const waiting: ChildNode[] = root.children.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isText(node)) text += node.data;
    else if (hasChildren(node)) pushNodes(node.children, waiting);
    if (text.length >= charsMax) break;
  }
  return text;
}

/** The same on one line. */
export function lineText(root: HtmlDocument | HtmlElement, charsMax?: number): string {
  return collapseSpace(nodeText(root, charsMax));
}

export function collapseSpace(text: string): string {
  const trimmed = text.trim();
  // Most texts are white space alone, or have nothing but single spaces.
  return unevenSpace.test(trimmed) ? trimmed.replaceAll(/\s+/g, " ") : trimmed;
}
