/** Whether arrays and objects in `value` nest deeper than so many levels. Without recursion, whatever it is. */
export function isNestedDeeper(value: unknown, levelsMax: number): boolean {
  let level: readonly object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levelsMax) return true;
    const below: object[] = [];
    for (const each of level) {
      for (const child of Object.values(each) as readonly unknown[]) {
        if (typeof child === "object" && child !== null) below.push(child);
      }
    }
    level = below;
  }
  return false;
}
