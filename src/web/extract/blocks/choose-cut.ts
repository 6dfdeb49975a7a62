/** The opinion from which on blocks are kept, and how good the outcome is expected to be. */
export interface Cut {
  readonly opinion: number;
  /** The expected F1: 1 = all blocks are certain. */
  readonly expected: number;
}

/**
 * Chooses the cut whose expected F1 is highest, when each opinion is the probability that a block is
 * content: on a page of doubts all is kept that is not certainly something else.
 */
export function chooseCut(opinions: readonly number[], weights: readonly number[]): Cut {
  const order = opinions
    .map((_, index) => index)
    .sort((a, b) => (opinions[b] ?? 0) - (opinions[a] ?? 0));
  const content = opinions.reduce(
    (sum, opinion, index) => sum + opinion * (weights[index] ?? 0),
    0,
  );
  let best: Cut = { opinion: 0, expected: 0 };
  let [kept, right] = [0, 0];
  for (const index of order) {
    const opinion = opinions[index] ?? 0;
    const weight = weights[index] ?? 0;
    kept += weight;
    right += opinion * weight;
    const expected = (2 * right) / (kept + content);
    if (expected > best.expected) best = { opinion, expected };
  }
  return best;
}
