import type { ChildNode } from "domhandler";

/** Puts `nodes` on the stack of a walk, so that the first of them comes off first. */
export function pushNodes(nodes: readonly ChildNode[], waiting: (ChildNode | string)[]): void {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node !== undefined) waiting.push(node);
  }
}
