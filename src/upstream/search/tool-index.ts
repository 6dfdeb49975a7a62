import { searchBoostedMax, searchLimitMax } from "../../base/upstream-limits.ts";
import { Postings, Vocabulary } from "./postings.ts";
import { conceptsOf, type Concept, byScore, rank, type NamedTools } from "./rank.ts";
import type { Field } from "./tool-fields.ts";
import type { SearchedTool } from "../snapshot.ts";
import { type QueryWord, termsOf } from "./words.ts";

export interface Hit {
  readonly searched: SearchedTool;
  readonly server: string;
  readonly score: number;
  /** The words of the query that it matches. */
  readonly matched: readonly string[];
  /** The parts of the score. */
  explain(): HitExplanation;
}

export interface HitExplanation {
  readonly terms: readonly {
    readonly word: string;
    readonly term: string;
    readonly fields: ReadonlyMap<Field, number>;
  }[];
  readonly boost: NameBoost;
}

/**
 * The share of the best score that a tool needs to be more than a chance hit; as many as can be shown are always kept.
 */
const relevantShare = 0.25;

/** The search index of all callable tools. Immutable: changed tools need a new index. */
export class ToolIndex {
  readonly #postings: Postings;
  readonly #vocabulary: Vocabulary;
  readonly #byServer = new Map<string, number[]>();

  /** @param tools sorted by name, which decides between equal scores */
  constructor(readonly tools: readonly SearchedTool[]) {
    this.#postings = new Postings(tools);
    this.#vocabulary = new Vocabulary(this.#postings.terms);
    for (const [at, { server }] of tools.entries()) {
      const numbers = this.#byServer.get(server);
      if (numbers === undefined) this.#byServer.set(server, [at]);
      else numbers.push(at);
    }
  }

  /** Matching tools, best first; `isWanted` applies a facet. */
  search(
    words: readonly QueryWord[],
    isWanted: (tool: SearchedTool) => boolean = () => true,
  ): readonly Hit[] {
    const concepts = conceptsOf(words, {
      postings: this.#postings,
      vocabulary: this.#vocabulary,
    });
    const query = termsOf(words.map(({ text }) => text).join(" ")).join(" ");
    const all = rank(concepts, this.#postings, this.#named(concepts)).filter(({ tool }) => {
      const searched = this.tools[tool];
      return searched !== undefined && isWanted(searched);
    });
    const scoreMin = (all[0]?.score ?? 0) * relevantShare;
    const ranked = all.filter(({ score }, at) => score >= scoreMin || at < searchLimitMax);
    // Names boost only the best candidates; the others keep their order.
    const boosted = ranked.slice(0, searchBoostedMax).map(({ tool, score }) => {
      return { tool, score: score * this.#boost(tool, query, concepts).factor };
    });
    const order = [...boosted.sort(byScore), ...ranked.slice(searchBoostedMax)];
    return order.flatMap(({ tool, score }) => this.#hit(tool, score, query, concepts));
  }

  /** For each term of a server's name that the query contains completely, the tools of that server. */
  #named(concepts: readonly Concept[]): NamedTools {
    const terms = new Set(concepts.map(({ term }) => term));
    const named = new Map<string, number[]>();
    for (const [server, tools] of this.#byServer) {
      const name = termsOf(server);
      if (name.length === 0 || !name.every((term) => terms.has(term))) continue;
      for (const term of name) named.set(term, [...(named.get(term) ?? []), ...tools]);
    }
    return named;
  }

  #hit(tool: number, score: number, query: string, concepts: readonly Concept[]): Hit[] {
    const searched = this.tools[tool];
    if (searched === undefined) return [];
    const postings = this.#postings;
    const boost = (): NameBoost => this.#boost(tool, query, concepts);
    return [
      {
        searched,
        server: searched.server,
        score,
        get matched() {
          return concepts.flatMap((concept) => {
            return bestTerm(concept, tool, postings) === undefined ? [] : [concept.word];
          });
        },
        explain: () => ({
          terms: concepts.flatMap((concept) => bestTerm(concept, tool, postings) ?? []),
          boost: boost(),
        }),
      },
    ];
  }

  #boost(tool: number, query: string, concepts: readonly Concept[]): NameBoost {
    const searched = this.tools[tool];
    if (searched === undefined) return { factor: 1, reasons: [] };
    return nameBoost(query, concepts, searched);
  }
}

/** Builds an index with the tools sorted by name. */
export function buildToolIndex(tools: Iterable<SearchedTool>): ToolIndex {
  const byName = [...tools].sort(({ listing: a }, { listing: b }) => {
    return a.name < b.name ? -1 : Number(a.name > b.name);
  });
  return new ToolIndex(byName);
}

/** The alternative of a word with the best score for a tool, with the contribution of each field. */
function bestTerm(
  { word, alternatives }: Concept,
  tool: number,
  postings: Postings,
): HitExplanation["terms"][number] | undefined {
  let best: { sum: number; term: string; fields: ReadonlyMap<Field, number> } | undefined;
  for (const { term, weight } of alternatives) {
    const parts = postings.explain(term, tool);
    if (parts === undefined) continue;
    const fields = new Map([...parts].map(([field, part]) => [field, part * weight]));
    const sum = [...fields.values()].reduce((total, part) => total + part, 0);
    if (best === undefined || sum > best.sum) best = { sum, term, fields };
  }
  return best === undefined ? undefined : { word, term: best.term, fields: best.fields };
}

/** Factors for matches in a tool's name (DF10). */
const boosts = { exactName: 3, allInName: 1.25, wholeName: 1 } as const;

interface NameBoost {
  readonly factor: number;
  /** The reasons, for people. */
  readonly reasons: readonly string[];
}

/** @param query the query's terms, with a blank between two */
function nameBoost(
  query: string,
  concepts: readonly Concept[],
  { server, tool, listing }: SearchedTool,
): NameBoost {
  const terms = termsOf(tool);
  if (terms.join(" ") === query || termsOf(listing.name).join(" ") === query) {
    return { factor: boosts.exactName, reasons: ["exact name"] };
  }
  const name = withoutServer(terms, server);
  const share = sharedPart(name, concepts);
  const factor = 1 + boosts.wholeName * share;
  const reasons = share === 0 ? [] : [`${Math.round(share * 100)} % of the name`];
  const inName = new Set(terms);
  const isAll = concepts.every(({ isHint, alternatives }) => {
    return isHint || alternatives.some(({ term }) => inName.has(term));
  });
  if (!isAll) return { factor, reasons };
  return { factor: factor * boosts.allInName, reasons: [...reasons, "all words in the name"] };
}

/** Removes the server's name, which many servers repeat in the names of their tools. */
function withoutServer(terms: readonly string[], server: string): readonly string[] {
  const own = new Set(termsOf(server));
  const rest = terms.filter((term) => !own.has(term));
  return rest.length === 0 ? terms : rest;
}

/** The share of a name's terms that the query's concepts include, from 0 to 1. */
function sharedPart(name: readonly string[], concepts: readonly Concept[]): number {
  const meant = new Set(concepts.flatMap(({ alternatives }) => alternatives.map((a) => a.term)));
  return name.length === 0 ? 0 : name.filter((term) => meant.has(term)).length / name.length;
}
