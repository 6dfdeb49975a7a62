import { nearTermsMax, prefixTermsMax } from "../../base/upstream-limits.ts";
import { type Field, fields, fieldTerms, fieldWeights } from "./tool-fields.ts";
import type { SearchedTool } from "../snapshot.ts";

/** BM25F: how quickly repetitions of a word lose weight, and how much long fields lose (DF10). */
const saturation = 1.2;
const lengthShare = 0.75;

/** Occurrences in one field are stored in four bits, so fifteen and more are equal. */
const countBits = 4;
const countMax = 15;

/** The tools with a term: pairs of a tool's number and its packed counts by field. */
type PostingList = readonly number[];

/** The inverted index: plain numbers, built once and read by every search. */
export class Postings {
  readonly #lists = new Map<string, number[]>();
  /** The weight of each tool and field, less for a field that is longer than usual. */
  readonly #norms: Float64Array;
  readonly toolCount: number;

  constructor(tools: readonly SearchedTool[]) {
    this.toolCount = tools.length;
    const lengths = new Float64Array(tools.length * fields.length);
    for (const [tool, searched] of tools.entries()) this.#add(tool, searched, lengths);
    this.#norms = normsOf(lengths, tools.length);
  }

  get terms(): Iterable<string> {
    return this.#lists.keys();
  }

  has(term: string): boolean {
    return this.#lists.has(term);
  }

  /** Visits each tool that has the term, with its score. */
  forEach(term: string, visit: (tool: number, score: number) => void): void {
    const list = this.#lists.get(term);
    if (list === undefined) return;
    const rarity = this.#rarity(list);
    for (let at = 0; at < list.length; at += 2) {
      const tool = list[at] ?? 0;
      const weight = this.#weight(tool, list[at + 1] ?? 0);
      visit(tool, (rarity * (saturation + 1) * weight) / (saturation + weight));
    }
  }

  /** The contribution of each field of one tool to the score of a term; undefined when it does not have the term. */
  explain(term: string, tool: number): ReadonlyMap<Field, number> | undefined {
    const list = this.#lists.get(term) ?? [];
    const counts = countsOf(list, tool);
    if (counts === undefined) return undefined;
    const weight = this.#weight(tool, counts);
    const perWeight = (this.#rarity(list) * (saturation + 1)) / (saturation + weight);
    return new Map(
      fields.flatMap((field, index) => {
        const part = this.#fieldWeight(tool, counts, index);
        return part === 0 ? [] : [[field, part * perWeight] as const];
      }),
    );
  }

  #add(tool: number, searched: SearchedTool, lengths: Float64Array): void {
    const counts = new Map<string, number>();
    for (const [field, terms] of fieldTerms(searched).entries()) {
      const shift = field * countBits;
      for (const term of terms) {
        const packed = counts.get(term) ?? 0;
        if (((packed >> shift) & countMax) < countMax) counts.set(term, packed + (1 << shift));
      }
      lengths[tool * fields.length + field] = terms.length;
    }
    for (const [term, packed] of counts) {
      const list = this.#lists.get(term);
      if (list === undefined) this.#lists.set(term, [tool, packed]);
      else list.push(tool, packed);
    }
  }

  /** The weight of a term, which is higher when fewer tools have it. */
  #rarity(list: PostingList): number {
    const having = list.length / 2;
    return Math.log(1 + (this.toolCount - having + 0.5) / (having + 0.5));
  }

  #weight(tool: number, counts: number): number {
    let weight = 0;
    for (let field = 0; field < fields.length; field++) {
      weight += this.#fieldWeight(tool, counts, field);
    }
    return weight;
  }

  #fieldWeight(tool: number, counts: number, field: number): number {
    const count = (counts >> (field * countBits)) & countMax;
    return count === 0 ? 0 : count * (this.#norms[tool * fields.length + field] ?? 0);
  }
}

/** The packed counts of one tool, by binary search in the list, which is sorted by tool. */
function countsOf(list: PostingList, tool: number): number | undefined {
  let low = 0;
  let high = list.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[2 * middle] ?? 0) < tool) low = middle + 1;
    else high = middle;
  }
  return list[2 * low] === tool ? list[2 * low + 1] : undefined;
}

function normsOf(lengths: Float64Array, toolCount: number): Float64Array {
  const totals = fields.map((_, field) => {
    let total = 0;
    for (let at = field; at < lengths.length; at += fields.length) total += lengths[at] ?? 0;
    return total;
  });
  return lengths.map((length, at) => {
    const field = at % fields.length;
    const usual = (totals[field] ?? 0) / toolCount || 1;
    const name = fields[field] ?? "name";
    return fieldWeights[name] / (1 - lengthShare + (lengthShare * length) / usual);
  });
}

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
