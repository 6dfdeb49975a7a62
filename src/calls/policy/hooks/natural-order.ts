/**
 * Compares names as people count: `2-b` before `10-a`. The same on every machine, whatever its language: what is
 * no number is compared by UTF-16 code units.
 */
export function compareNaturally(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.length < right.length ? -1 : compareUnits(a, b);
}

function partsOf(text: string): readonly string[] {
  return text.match(/[0-9]+|[^0-9]+/g) ?? [];
}

function compareParts(a: string, b: string): number {
  if (!isNumber(a) || !isNumber(b)) return compareUnits(a, b);
  const left = a.replace(/^0+(?=.)/, "");
  const right = b.replace(/^0+(?=.)/, "");
  // Of numbers of any length the longer one is the greater.
  return left.length - right.length || compareUnits(left, right);
}

function isNumber(part: string): boolean {
  return part >= "0" && part < ":";
}

function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
