import { searchWordsMax } from "../../base/upstream-limits.ts";
import type { Postings, Vocabulary } from "./postings.ts";
import { phraseMeaning, synonymsOf } from "./synonyms.ts";
import { type QueryWord, stem, stopWords, wordsOf } from "./words.ts";

/** A term of the index that a query word may mean, with its weight. */
interface Alternative {
  readonly term: string;
  readonly weight: number;
}

/** One word of a query with its possible terms: a tool scores once, with the best of them. */
export interface Concept {
  readonly word: string;
  readonly term: string;
  readonly isRequired: boolean;
  /** A question word or a phrase, which only hints at a meaning. */
  readonly isHint: boolean;
  readonly alternatives: readonly Alternative[];
}

/** Weights of the ways to match a word, relative to the word itself. */
const weights = { hint: 0.5, prefix: 0.6, near: 0.6, joined: 0.9, split: 0.7 } as const;

/** Question words hint at the action of a tool. */
const hints: ReadonlyMap<string, readonly string[]> = new Map([
  ["which", ["list", "get", "search"]],
  ["what", ["get", "list"]],
  ["who", ["get", "list", "user"]],
  ["where", ["search", "find", "query", "filter"]],
  ["all", ["list"]],
  ["why", ["explain", "analyz", "get"]],
]);

export interface Known {
  readonly postings: Postings;
  readonly vocabulary: Vocabulary;
}

interface Word {
  readonly word: string;
  readonly term: string;
  readonly isRequired: boolean;
}

/** The concepts of a query. Stop words are skipped, unless there are no other words. */
export function conceptsOf(query: readonly QueryWord[], known: Known): readonly Concept[] {
  const all = query
    .flatMap(({ text, isRequired }) =>
      wordsOf(text).map((word) => ({ word, term: stem(word), isRequired })),
    )
    .slice(0, searchWordsMax);
  const isTelling = ({ word, isRequired }: Word): boolean => isRequired || !stopWords.has(word);
  const telling = all.some(isTelling) ? isTelling : () => true;
  const concepts = new Map<string, Concept>();
  for (const [at, word] of all.entries()) {
    const hint = hintOf(all, at, known.postings);
    if (hint !== undefined) concepts.set(`hint ${at}`, hint);
    if (telling(word)) addConcept(concepts, all, at, known);
  }
  return [...concepts.values()];
}

/** Adds a word; for a repeated word, the first is used. */
function addConcept(
  concepts: Map<string, Concept>,
  all: readonly Word[],
  at: number,
  known: Known,
): void {
  const word = all[at];
  if (word === undefined) return;
  const before = concepts.get(word.term);
  const isLast = at === all.length - 1;
  const found =
    before === undefined ? alternativesOf(word, isLast, known) : new Map<string, number>();
  const next = all[at + 1];
  const joined = stem(`${word.word}${next?.word ?? ""}`);
  if (next !== undefined && known.postings.has(joined)) found.set(joined, weights.joined);
  const alternatives = [...found].map(([term, weight]) => ({ term, weight }));
  concepts.set(word.term, {
    word: word.word,
    term: word.term,
    isRequired: word.isRequired || (before?.isRequired ?? false),
    isHint: false,
    alternatives: [...(before?.alternatives ?? []), ...alternatives],
  });
}

/** The hints of a question word, or of a phrase that begins here. */
function hintOf(all: readonly Word[], at: number, postings: Postings): Concept | undefined {
  const words = all.slice(at, at + 3).map(({ word }) => word);
  const long = phraseMeaning(words);
  const meaning = new Map(long.size > 0 ? long : phraseMeaning(words.slice(0, 2)));
  for (const term of hints.get(words[0] ?? "") ?? []) {
    if (!meaning.has(term)) meaning.set(term, weights.hint);
  }
  const alternatives = [...meaning]
    .filter(([term]) => postings.has(term))
    .map(([term, weight]) => ({ term, weight }));
  if (alternatives.length === 0) return undefined;
  const word = words.slice(0, 2).join(" ");
  return { word, term: "", isRequired: false, isHint: true, alternatives };
}

type Alternatives = Map<string, number>;

function alternativesOf(
  { word, term, isRequired }: Word,
  isLast: boolean,
  { postings, vocabulary }: Known,
): Alternatives {
  const found: Alternatives = new Map();
  const add = (other: string, weight: number): void => {
    if (postings.has(other)) found.set(other, Math.max(weight, found.get(other) ?? 0));
  };
  add(term, 1);
  for (const [other, weight] of synonymsOf(term)) add(other, isRequired ? 0 : weight);
  const isKnown = postings.has(term);
  if (term.length >= 3 && ((isLast && !isRequired) || !isKnown)) {
    for (const other of vocabulary.startingWith(term)) add(other, weights.prefix);
  }
  if (found.size > 0) return found;
  for (const part of splitTerm(word, postings)) add(part, weights.split);
  for (const other of vocabulary.near(term)) {
    add(other, weights.near);
    for (const [synonym, weight] of synonymsOf(other)) add(synonym, weights.near * weight);
  }
  return found;
}

/** Splits `dropdown` where the index has `drop` and `down`. */
function splitTerm(word: string, postings: Postings): readonly string[] {
  for (let at = 3; at <= word.length - 3; at++) {
    const parts = [stem(word.slice(0, at)), stem(word.slice(at))];
    if (parts.every((part) => postings.has(part))) return parts;
  }
  return [];
}

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
