/** Whether a figure got worse, from the ratios of its turns. */
import { quantile } from "../stats.ts";

/** How much worse a change may make a figure. */
export const ratioMax = 1.03;
/** The share of intervals that miss the true median on one side. */
const missShare = 0.025;
/** Below this many turns even all of them together are no such interval. */
export const turnsMin = 6;

/** Open: the interval reaches to both sides of the bound, and more turns would make it shorter. */
export type State = "kept" | "worse" | "better" | "open";

export interface Judgement {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly state: State;
}

/**
 * The median of the ratios, and the interval that holds the true one in 95 of 100 runs. Worse is a ratio above `ratioMax` by
 * more than its own noise, which is the distance to the lower end: so, when the whole interval is above.
 */
export function judge(ratios: readonly number[]): Judgement {
  const [low, high] = intervalOf(ratios);
  const ratio = quantile(ratios, 0.5);
  // A figure that is the same in all turns, such as a size, has no noise.
  const isEnough = ratios.length >= turnsMin || low === high;
  return { ratio, low, high, state: isEnough ? stateOf(low, high) : "open" };
}

function stateOf(low: number, high: number): State {
  if (low > ratioMax) return "worse";
  if (high > ratioMax) return "open";
  return high < 1 ? "better" : "kept";
}

/**
 * Between the ratios of two ranks, which depend on nothing but their number: whatever the ratios look like, half of them are
 * below the true median, so that ranks are distributed like tosses of a coin.
 */
export function intervalOf(ratios: readonly number[]): [number, number] {
  const sorted = ratios.toSorted((a, b) => a - b);
  const outside = ranksOutside(sorted.length);
  const [low, high] = [sorted[outside], sorted[sorted.length - 1 - outside]];
  if (low === undefined || high === undefined) throw new Error("an interval of nothing");
  return [low, high];
}

/** How many values at each end lie outside of the interval. */
function ranksOutside(count: number): number {
  let probability = 0.5 ** count;
  let sum = probability;
  let rank = 0;
  while (sum <= missShare) {
    rank += 1;
    probability *= (count - rank + 1) / rank;
    sum += probability;
  }
  return Math.max(0, rank - 1);
}
