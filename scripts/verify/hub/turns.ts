import { quantile } from "../../bench/stats.ts";

/** Values of one kind, of two ways that were measured in turns: one of each for a round. */
export interface Turns {
  readonly before: readonly number[];
  readonly now: readonly number[];
}

interface Spread {
  readonly median: number;
  /** A quarter of the rounds is below the first and above the second. */
  readonly low: number;
  readonly high: number;
}

/** Of each round, of which the machine has treated both ways alike. */
export function ratioOf({ before, now }: Turns): Spread {
  return spreadOf(now.map((value, at) => value / (before[at] ?? Number.NaN)));
}

export function differenceOf({ before, now }: Turns): Spread {
  return spreadOf(now.map((value, at) => value - (before[at] ?? Number.NaN)));
}

export function medianOf(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function spreadOf(values: readonly number[]): Spread {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
  };
}

/** `1.02 × (0.99 to 1.05)`. */
export function shownRatio(turns: Turns): string {
  const { median, low, high } = ratioOf(turns);
  return `${median.toFixed(3)} × (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

export function shownDifference(turns: Turns, unit: string): string {
  const { median, low, high } = differenceOf(turns);
  const sign = (value: number): string => `${value < 0 ? "" : "+"}${value.toFixed(2)}`;
  return `${sign(median)} ${unit} (${sign(low)} to ${sign(high)})`;
}

/**
 * Measures two ways in turns, the order changed with each round. The first round fills caches and is not used.
 */
export async function inTurns(
  rounds: number,
  before: () => Promise<number>,
  now: () => Promise<number>,
): Promise<Turns> {
  const turns = { before: [] as number[], now: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const isOther = round % 2 === 1;
    const first = await (isOther ? now() : before());
    const second = await (isOther ? before() : now());
    if (round === 0) continue;
    turns.before.push(isOther ? second : first);
    turns.now.push(isOther ? first : second);
  }
  return turns;
}
