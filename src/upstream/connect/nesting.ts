/** Whether arrays and objects in `value` nest deeper than so many levels. Without recursion, whatever it is. */
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

/** In place: each answer is looked at, and a list of the values of each object is most of what that would cost. */
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
