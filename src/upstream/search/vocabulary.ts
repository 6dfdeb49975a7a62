import { nearTermsMax, prefixTermsMax } from "../../base/upstream-limits.ts";

/** All terms of an index, to find unfinished or misspelt words. */
export class Vocabulary {
  readonly #sorted: readonly string[];
  /** Trigram → the numbers of the terms that contain it; built for the first misspelt word. */
  #byTrigram: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(terms: Iterable<string>) {
    this.#sorted = [...terms].sort();
  }

  /** Longer terms that begin with `prefix`, shortest first. */
  startingWith(prefix: string): readonly string[] {
    const found: string[] = [];
    for (let at = this.#firstFrom(prefix); at < this.#sorted.length; at++) {
      const term = this.#sorted[at] ?? "";
      if (!term.startsWith(prefix)) break;
      if (term !== prefix) found.push(term);
    }
    return found.sort((a, b) => a.length - b.length || compare(a, b)).slice(0, prefixTermsMax);
  }

  /** Terms of which `word` may be a misspelling: with one edit, or two in a long word. */
  near(word: string): readonly string[] {
    if (word.length < 4) return [];
    const editsMax = word.length < 8 ? 1 : 2;
    const shared = new Map<number, number>();
    this.#byTrigram ??= trigramTable(this.#sorted);
    for (const trigram of trigramsOf(word)) {
      for (const term of this.#byTrigram.get(trigram) ?? []) {
        shared.set(term, (shared.get(term) ?? 0) + 1);
      }
    }
    // An edit changes at most three trigrams, and a swap of neighbours four.
    const sharedMin = Math.max(1, word.length + 2 - 4 * editsMax);
    const near: { readonly term: string; readonly edits: number }[] = [];
    for (const [number, count] of shared) {
      const term = this.#sorted[number] ?? "";
      if (count < sharedMin || Math.abs(term.length - word.length) > editsMax) continue;
      const edits = editsBetween(word, term, editsMax);
      if (edits <= editsMax) near.push({ term, edits });
    }
    near.sort((a, b) => a.edits - b.edits || compare(a.term, b.term));
    return near.slice(0, nearTermsMax).map(({ term }) => term);
  }

  #firstFrom(prefix: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? "") < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** All trigrams of a word, with markers for its borders. */
function trigramsOf(word: string): ReadonlySet<string> {
  const framed = `^${word}$`;
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= framed.length; at++) trigrams.add(framed.slice(at, at + 3));
  return trigrams;
}

function trigramTable(terms: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const table = new Map<string, number[]>();
  for (const [number, term] of terms.entries()) {
    for (const trigram of trigramsOf(term)) {
      const list = table.get(trigram);
      if (list === undefined) table.set(trigram, [number]);
      else list.push(number);
    }
  }
  return table;
}

/** The number of insertions, deletions, replacements and swaps of neighbours; may stop counting above `max`. */
function editsBetween(from: string, to: string, max: number): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const replaced = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      const added = Math.min(previous[column] ?? 0, current[column - 1] ?? 0) + 1;
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(replaced, added, swapped));
    }
    if (Math.min(...current) > max) return max + 1;
    before = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
