import { findMatches } from "../../src/upstream/search/find-matches.ts";
import type { SearchedTool } from "../../src/upstream/snapshot.ts";
import { buildToolIndex } from "../../src/upstream/search/tool-index.ts";
import { corporaOf, keyOf, type GoldQuery, type Half } from "./corpus.ts";
import type { Search } from "./floors.ts";

/** How well a search finds, over all corpora of a size. */
export interface Figures {
  readonly queries: number;
  /** Shares from 0 to 1: a right tool is the first, or among the first five. */
  readonly top1: number;
  readonly recall5: number;
  /** The queries that were missed. */
  readonly missed: readonly GoldQuery[];
}

/** The search as the product has it. */
export function productSearch(tools: readonly SearchedTool[]): Search {
  const index = buildToolIndex(tools);
  return async (query) => {
    const found = await findMatches(
      { query, charsMax: 30_000 },
      { index, servers: [], blocked: [] },
    );
    return found.kind === "found" ? found.matches.map(({ searched }) => searched) : [];
  };
}

export async function measure(
  tools: readonly SearchedTool[],
  size: number,
  half: Half,
  prepare: (tools: readonly SearchedTool[]) => Search,
): Promise<Figures> {
  const missed: GoldQuery[] = [];
  let first = 0;
  let queries = 0;
  for (const corpus of corporaOf(tools, size, half)) {
    const search = prepare(corpus.tools);
    for (const gold of corpus.queries) {
      const names = (await search(gold.query)).map(keyOf);
      queries++;
      if (gold.gold.includes(names[0] ?? "")) first++;
      if (!names.slice(0, 5).some((name) => gold.gold.includes(name))) missed.push(gold);
    }
  }
  return { queries, top1: first / queries, recall5: 1 - missed.length / queries, missed };
}
