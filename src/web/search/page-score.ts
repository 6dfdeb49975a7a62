import type { SeenPage, Sighting } from "./merge-lists.ts";

/** The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */
const rankOffset = 60;
/**
 * The weight of further engines of one provider, as a fraction: four fronts of one index must not outvote two indexes.
 */
const echoWeight = 0.25;
/** Decimal places that distinguish scores: sums of the same numbers differ behind the fifteenth. */
const scoreDigits = 12;

/** One engine's contribution to the score of a page: c(e) = w(e) / (60 + p). */
export function contribution({ list, page }: Sighting): number {
  return list.weight / (rankOffset + page.position);
}

/** The sum over all providers of their best contribution and a quarter of their others. */
export function pageScore(seen: SeenPage): number {
  let score = 0;
  for (const group of Map.groupBy(seen, ({ list }) => list.provider).values()) {
    const parts = group.map(contribution);
    const best = Math.max(...parts);
    const all = parts.reduce((sum, part) => sum + part, 0);
    score += best + echoWeight * (all - best);
  }
  return Number(score.toFixed(scoreDigits));
}
