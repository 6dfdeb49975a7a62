/** What one check found. */
export interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  /** The figures, on one line. */
  readonly figures: string;
  /** One line for each thing that was wrong. */
  readonly faults: readonly string[];
  /** More rows for the page: name, result, figure. */
  readonly details?: readonly (readonly [name: string, result: string, figure: string])[];
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
