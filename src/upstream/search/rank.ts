import type { Concept } from "./concepts.ts";
import type { Postings } from "./postings.ts";

/** A tool by its number, with what it scored. */
export interface Ranked {
  readonly tool: number;
  readonly score: number;
}

/** How much of a score depends on how much of the query a tool has. */
const coverageShare = 0.6;

/**
 * Every tool that has a word of the query and all required ones, the best first; of equal ones the first in the index.
 * The score of a tool is the sum over the words of the query, for each the best of what it may mean.
 */
export function rank(concepts: readonly Concept[], postings: Postings): Ranked[] {
  const sums = new Float64Array(postings.toolCount);
  const matched = new Float64Array(postings.toolCount);
  const isOut = new Uint8Array(postings.toolCount);
  const best = new Float64Array(postings.toolCount);
  for (const concept of concepts) {
    best.fill(0);
    for (const { term, weight } of concept.alternatives) {
      postings.forEach(term, (tool, score) => {
        if (score * weight > (best[tool] ?? 0)) best[tool] = score * weight;
      });
    }
    for (let tool = 0; tool < best.length; tool++) {
      const score = best[tool] ?? 0;
      if (score === 0 && concept.isRequired) isOut[tool] = 1;
      if (score === 0) continue;
      sums[tool] = (sums[tool] ?? 0) + score;
      matched[tool] = (matched[tool] ?? 0) + 1;
    }
  }
  const ranked: Ranked[] = [];
  for (let tool = 0; tool < sums.length; tool++) {
    const coverage = (matched[tool] ?? 0) / concepts.length;
    const score = (sums[tool] ?? 0) * (1 - coverageShare + coverageShare * coverage);
    if (score > 0 && isOut[tool] === 0) ranked.push({ tool, score });
  }
  return ranked.sort(byScore);
}

export function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.tool - b.tool;
}
