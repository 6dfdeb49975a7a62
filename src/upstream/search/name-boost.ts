import type { Concept } from "./concepts.ts";

/** What a tool's name adds to its score, as factors (DF10). */
const boosts = { exactName: 3, allInName: 1.25, wholeName: 0.35 } as const;

export interface NameBoost {
  readonly factor: number;
  /** For people: why. */
  readonly reasons: readonly string[];
}

/**
 * @param query the query's terms, with a blank between two
 * @param names the terms of the tool's name there, and of its name here
 */
export function nameBoost(
  query: string,
  concepts: readonly Concept[],
  names: readonly (readonly string[])[],
): NameBoost {
  const [own = []] = names;
  if (names.some((name) => name.join(" ") === query)) {
    return { factor: boosts.exactName, reasons: ["exact name"] };
  }
  const inName = new Set(own);
  const meant = new Set(concepts.flatMap(({ alternatives }) => alternatives.map((a) => a.term)));
  const share = own.filter((term) => meant.has(term)).length / (own.length || 1);
  const isAll = concepts.every(({ alternatives }) => alternatives.some((a) => inName.has(a.term)));
  const reasons = share === 0 ? [] : [`${Math.round(share * 100)} % of the name`];
  const factor = 1 + boosts.wholeName * share;
  if (!isAll) return { factor, reasons };
  return { factor: factor * boosts.allInName, reasons: [...reasons, "all words in the name"] };
}
