import { searchWordsMax } from "../../base/limits.ts";
import type { QueryWord } from "./parse-query.ts";
import type { Postings } from "./postings.ts";
import { stem } from "./stem.ts";
import { stopWords } from "./stop-words.ts";
import { synonymsOf } from "./synonyms.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { wordsOf } from "./words.ts";

/** A term of the index that may be what a word of the query means, and how much of its score counts. */
export interface Alternative {
  readonly term: string;
  readonly weight: number;
}

/** One word of a query with all that it may mean: a tool scores with the best of it, once. */
export interface Concept {
  readonly word: string;
  readonly isRequired: boolean;
  readonly alternatives: readonly Alternative[];
}

/** What each way of meaning a word is worth, beside the word itself. */
const weights = { synonym: 0.45, prefix: 0.6, near: 0.6, joined: 0.9, split: 0.7 } as const;

export interface Known {
  readonly postings: Postings;
  readonly vocabulary: Vocabulary;
}

/** The words of a query that count. If all of them are stop words, they count after all. */
export function conceptsOf(query: readonly QueryWord[], known: Known): readonly Concept[] {
  const all = query.flatMap(({ text, isRequired }) =>
    wordsOf(text).map((word) => ({ word, term: stem(word), isRequired })),
  );
  const telling = all.filter(({ word, isRequired }) => isRequired || !stopWords.has(word));
  const words = (telling.length === 0 ? all : telling).slice(0, searchWordsMax);
  const concepts = new Map<string, Concept>();
  for (const [at, { word, term, isRequired }] of words.entries()) {
    const next = words[at + 1];
    const isLast = next === undefined;
    const found = alternativesOf(term, isLast && !isRequired, known);
    if (next !== undefined) addPair(found, [term, next.term], [word, next.word], known);
    const before = concepts.get(term);
    const alternatives = [...found].map(([term, weight]) => ({ term, weight }));
    concepts.set(term, {
      word,
      isRequired: isRequired || (before?.isRequired ?? false),
      alternatives: before === undefined ? alternatives : before.alternatives,
    });
  }
  return [...concepts.values()];
}

type Alternatives = Map<string, number>;

function alternativesOf(
  term: string,
  isLast: boolean,
  { postings, vocabulary }: Known,
): Alternatives {
  const found: Alternatives = new Map();
  const add = (other: string, weight: number): void => {
    if (postings.has(other)) found.set(other, Math.max(weight, found.get(other) ?? 0));
  };
  add(term, 1);
  for (const other of synonymsOf(term)) add(other, weights.synonym);
  const isKnown = postings.has(term);
  if (term.length >= 3 && (isLast || !isKnown)) {
    for (const other of vocabulary.startingWith(term)) add(other, weights.prefix);
  }
  if (found.size > 0) return found;
  for (const part of splitTerm(term, postings)) add(part, weights.split);
  for (const other of vocabulary.near(term)) {
    add(other, weights.near);
    for (const synonym of synonymsOf(other)) add(synonym, weights.near * weights.synonym);
  }
  return found;
}

/** `screen shot` is `screenshot`, and `merge request` is what others call a pull request. */
function addPair(
  found: Alternatives,
  terms: readonly [string, string],
  words: readonly [string, string],
  { postings }: Known,
): void {
  const joined = stem(words.join(""));
  if (postings.has(joined)) found.set(joined, weights.joined);
  for (const term of synonymsOf(terms.join(" "))) {
    if (postings.has(term) && !found.has(term)) found.set(term, weights.synonym);
  }
}

/** `dropdown`, where the index has `drop` and `down`. */
function splitTerm(term: string, postings: Postings): readonly string[] {
  for (let at = 3; at <= term.length - 3; at++) {
    const parts = [stem(term.slice(0, at)), stem(term.slice(at))];
    if (parts.every((part) => postings.has(part))) return parts;
  }
  return [];
}
