import type { ChildNode } from "domhandler";

/** Takes `node` and all below it out of the tree. */
export function removeNode(node: ChildNode): void {
  if (node.prev !== null) node.prev.next = node.next;
  if (node.next !== null) node.next.prev = node.prev;
  if (node.parent !== null) {
    const { children } = node.parent;
    const index =
      children[children.length - 1] === node ? children.length - 1 : children.indexOf(node);
    if (index !== -1) children.splice(index, 1);
  }
  node.parent = null;
  node.prev = null;
  node.next = null;
}
