import type { ChildNode, ParentNode } from "domhandler";

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
