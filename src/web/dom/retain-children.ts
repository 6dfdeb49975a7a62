import type { ChildNode, ParentNode } from "domhandler";

/**
 * Takes those children out of `parent` that `isRetained` says no to. One pass: taking a million nodes out one
 * by one takes as many searches through their siblings.
 */
export function retainChildren(
  parent: ParentNode,
  isRetained: (child: ChildNode) => boolean,
): void {
  const retained: ChildNode[] = [];
  const removed: ChildNode[] = [];
  for (const child of parent.children) (isRetained(child) ? retained : removed).push(child);
  if (removed.length === 0) return;
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
