import type { Concept } from "./concepts.ts";
import type { Postings } from "./postings.ts";

/** A tool by its number, with its score. */
export interface Ranked {
  readonly tool: number;
  readonly score: number;
}

/** The share of a score that depends on the part of the query that a tool matches. */
const coverageShare = 0.45;
/** The factor for the score of a tool when the query names its server. */
const serverFactor = 1.8;

/** The tools of the servers that the query names, by term. */
export type NamedTools = ReadonlyMap<string, readonly number[]>;

/**
 * Every tool that has a word of the query and all required ones, best first; equal ones in the order of the index. The
 * score of a tool is the sum over the query's words, each with the best of its alternatives.
 */
export function rank(
  concepts: readonly Concept[],
  postings: Postings,
  named: NamedTools,
): Ranked[] {
  const tallies: Tallies = {
    sums: new Float64Array(postings.toolCount),
    matched: new Float64Array(postings.toolCount),
    isOut: new Uint8Array(postings.toolCount),
  };
  for (const concept of concepts) {
    const best = bestScores(concept, postings);
    level(best, named.get(concept.term) ?? []);
    addScores(tallies, concept, best);
  }
  const { sums } = tallies;
  for (const tool of new Set([...named.values()].flat())) {
    sums[tool] = (sums[tool] ?? 0) * serverFactor;
  }
  const words = concepts.filter(({ isHint }) => !isHint).length;
  return rankedBy(tallies, words).sort(byScore);
}

/** Intermediate results for each tool, by its number. */
interface Tallies {
  readonly sums: Float64Array;
  /** The number of matched words, without hints. */
  readonly matched: Float64Array;
  /** 1 when it lacks a required word. */
  readonly isOut: Uint8Array;
}

function addScores(
  { sums, matched, isOut }: Tallies,
  { isRequired, isHint }: Concept,
  scores: Float64Array,
): void {
  for (const [tool, score] of scores.entries()) {
    if (score === 0 && isRequired) isOut[tool] = 1;
    if (score === 0) continue;
    sums[tool] = (sums[tool] ?? 0) + score;
    if (!isHint) matched[tool] = (matched[tool] ?? 0) + 1;
  }
}

/** @param words the number of query words without hints */
function rankedBy({ sums, matched, isOut }: Tallies, words: number): Ranked[] {
  const ranked: Ranked[] = [];
  for (const [tool, sum] of sums.entries()) {
    const coverage = (matched[tool] ?? 0) / words;
    const score = sum * (1 - coverageShare + coverageShare * coverage);
    if (score > 0 && coverage > 0 && isOut[tool] === 0) ranked.push({ tool, score });
  }
  return ranked;
}

export function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.tool - b.tool;
}

function bestScores({ alternatives }: Concept, postings: Postings): Float64Array {
  const best = new Float64Array(postings.toolCount);
  for (const { term, weight } of alternatives) {
    postings.forEach(term, (tool, score) => {
      if (score * weight > (best[tool] ?? 0)) best[tool] = score * weight;
    });
  }
  return best;
}

/** Gives all tools of a server the same score for its name, which does not tell which of them is meant. */
function level(best: Float64Array, tools: readonly number[]): void {
  let most = 0;
  for (const tool of tools) most = Math.max(most, best[tool] ?? 0);
  for (const tool of tools) best[tool] = most;
}
