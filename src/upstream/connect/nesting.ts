/**
 * Whether arrays and objects in `value` nest deeper than so many levels. Without recursion, so that any value is safe.
 */
export function isNestedDeeper(value: unknown, levelsMax: number): boolean {
  let level: readonly object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levelsMax) return true;
    const below: object[] = [];
    for (const each of level) addChildren(each, below);
    level = below;
  }
  return false;
}

/** In place: every answer is checked, and a list of each object's values would be most of the cost. */
function addChildren(parent: object, below: object[]): void {
  if (Array.isArray(parent)) {
    for (const child of parent as readonly unknown[]) if (isParent(child)) below.push(child);
    return;
  }
  for (const name in parent) {
    const child = (parent as Readonly<Record<string, unknown>>)[name];
    if (isParent(child)) below.push(child);
  }
}

function isParent(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
