import type { Concept } from "./concepts.ts";
import { termsOf } from "./words.ts";
import type { SearchedTool } from "./searched-tool.ts";

/** What a tool's name adds to its score, as factors (DF10). */
const boosts = { exactName: 3, allInName: 1.25, wholeName: 1 } as const;

export interface NameBoost {
  readonly factor: number;
  /** For people: why. */
  readonly reasons: readonly string[];
}

/** @param query the query's terms, with a blank between two */
export function nameBoost(
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

/** Many servers repeat their own name in those of their tools. */
function withoutServer(terms: readonly string[], server: string): readonly string[] {
  const own = new Set(termsOf(server));
  const rest = terms.filter((term) => !own.has(term));
  return rest.length === 0 ? terms : rest;
}

/** How much of a name the query says in whatever words, from 0 to 1. */
function sharedPart(name: readonly string[], concepts: readonly Concept[]): number {
  const meant = new Set(concepts.flatMap(({ alternatives }) => alternatives.map((a) => a.term)));
  return name.length === 0 ? 0 : name.filter((term) => meant.has(term)).length / name.length;
}
