import type { Statistic } from "./metrics.ts";

/** What is kept of a series of measurements. */
export type Summary = Readonly<Record<Statistic, number>> & { readonly n: number };

/** The value below which the share `p` of all values lies. `values` must not be empty. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
  if (value === undefined) throw new Error("a quantile of nothing");
  return value;
}

/** `values` must not be empty. */
export function summarize(values: readonly number[]): Summary {
  return {
    n: values.length,
    min: quantile(values, 0),
    p50: quantile(values, 0.5),
    p95: quantile(values, 0.95),
    p99: quantile(values, 0.99),
    max: quantile(values, 1),
  };
}
