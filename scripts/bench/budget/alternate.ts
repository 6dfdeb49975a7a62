/** Two things measured in turns so short that a disturbance of the machine meets both. */
import { quantile } from "../stats.ts";

/** The same of the executable before and of the one now. */
export interface Both<T> {
  readonly before: T;
  readonly now: T;
}

/** The medians, and the median of the ratios of neighbours. */
export interface Compared extends Both<number> {
  readonly ratio: number;
}

/** `of`, of both. */
export function bothOf<T, U>({ before, now }: Both<T>, of: (side: T) => U): Both<U> {
  return { before: of(before), now: of(now) };
}

/**
 * Measures both `times` times, whichever was last being first the next time.
 * @param turn the executable before begins where it is even
 */
export async function alternate<T, Values extends Readonly<Record<string, number>>>(
  both: Both<T>,
  times: number,
  measure: (side: T) => Values | Promise<Values>,
  turn = 0,
): Promise<Record<keyof Values, Compared>> {
  const pairs: Both<Values>[] = [];
  for (let time = 0; time < times; time++) {
    if ((time + turn) % 2 === 0) {
      const before = await measure(both.before);
      pairs.push({ before, now: await measure(both.now) });
    } else {
      const now = await measure(both.now);
      pairs.push({ before: await measure(both.before), now });
    }
  }
  const names = Object.keys(pairs[0]?.before ?? {}) as (keyof Values)[];
  const compared = names.map((name) => [name, compare(pairs, name)]);
  return Object.fromEntries(compared) as Record<keyof Values, Compared>;
}

function compare<Values extends Readonly<Record<string, number>>>(
  pairs: readonly Both<Values>[],
  name: keyof Values,
): Compared {
  const values = pairs.map((pair) => bothOf(pair, (side) => side[name] ?? 0));
  return {
    before: quantile(
      values.map(({ before }) => before),
      0.5,
    ),
    now: quantile(
      values.map(({ now }) => now),
      0.5,
    ),
    ratio: quantile(
      values.map(({ before, now }) => now / before),
      0.5,
    ),
  };
}
