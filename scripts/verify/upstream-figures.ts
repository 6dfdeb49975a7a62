export function median(values: readonly number[]): number {
  return at(values, 0.5);
}

export function p99(values: readonly number[]): number {
  return at(values, 0.99);
}

function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
