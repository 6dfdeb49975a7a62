/**
 * Whether arrays and objects in `value` nest deeper than so many levels. Without recursion, so that any value is safe.
 */
export function isNestedDeeper(value: unknown, levelsMax: number): boolean {
  let level: readonly Parent[] = isParent(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levelsMax) return true;
    const below: Parent[] = [];
    for (const each of level) addChildren(each, below);
    level = below;
  }
  return false;
}

/** In place: every answer is checked, and a list of each object's values would be most of the cost. */
function addChildren(parent: Parent, below: Parent[]): void {
  if (Array.isArray(parent)) {
    for (const child of parent as readonly unknown[]) if (isParent(child)) below.push(child);
    return;
  }
  for (const name in parent) {
    const child = parent[name];
    if (isParent(child)) below.push(child);
  }
}

/** An object or an array: both have members by name. */
type Parent = Readonly<Record<string, unknown>>;

function isParent(value: unknown): value is Parent {
  return typeof value === "object" && value !== null;
}
