/** Whether arrays and objects in `value` nest deeper than so many levels. Without recursion, whatever it is. */
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

/** In place: each answer is looked at, and a list of the values of each object is most of what that would cost. */
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
