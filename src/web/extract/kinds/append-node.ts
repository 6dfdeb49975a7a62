import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";

/** Makes `child`, which has no parent, the last child of `parent`. */
export function appendNode(parent: HtmlElement, child: ChildNode): void {
  const last = parent.children.at(-1) ?? null;
  child.parent = parent;
  child.prev = last;
  child.next = null;
  if (last !== null) last.next = child;
  parent.children.push(child);
}
