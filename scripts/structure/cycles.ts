/**
 * The groups of nodes of which each reaches each other, by the edges of `next` (Tarjan's algorithm). A node that reaches
 * nobody who reaches it back is in no group, unless it reaches itself at once.
 */
export function cyclesOf(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];

  const visit = (node: string): number => {
    const at = index.size;
    index.set(node, at);
    low.set(node, at);
    stack.push(node);
    for (const other of next.get(node) ?? []) {
      const known = index.get(other);
      const reached = known === undefined ? visit(other) : known;
      // Who has left the stack belongs to a group that is done.
      if (stack.includes(other)) low.set(node, Math.min(low.get(node) ?? at, reached));
    }
    const lowest = low.get(node) ?? at;
    if (lowest === at) {
      const group = stack.splice(stack.indexOf(node));
      const isCycle = group.length > 1 || (next.get(node) ?? []).includes(node);
      if (isCycle) groups.push(group.toSorted());
    }
    return lowest;
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return groups;
}
