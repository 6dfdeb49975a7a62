import type { SearchedTool } from "../../src/upstream/snapshot.ts";

/** Five tools for a query, the best first: what a simpler search would do. */
export type Search = (query: string) => readonly SearchedTool[] | Promise<readonly SearchedTool[]>;

interface Floor {
  readonly name: string;
  readonly prepare: (tools: readonly SearchedTool[]) => Search;
}

const textOf = ({ server, tool, listing }: SearchedTool): string =>
  `${server} ${tool} ${listing.title ?? ""} ${listing.description}`.toLowerCase();

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** How many words of the query are somewhere in the text. */
const substrings: Floor = {
  name: "words as substrings",
  prepare(tools) {
    const texts = tools.map(textOf);
    return (query) => {
      const words = wordsOf(query);
      return best(tools, (at) => words.filter((word) => texts[at]?.includes(word)).length);
    };
  },
};

/** BM25 over name, server, title and description as one text; no stemming, no synonyms. */
const bareBm25: Floor = {
  name: "bare BM25",
  prepare(tools) {
    const documents = tools.map((tool) => wordsOf(textOf(tool)));
    const usual = documents.reduce((sum, words) => sum + words.length, 0) / documents.length;
    const counts = documents.map((words) => countsOf(words));
    const having = new Map<string, number>();
    for (const count of counts) {
      for (const word of count.keys()) having.set(word, (having.get(word) ?? 0) + 1);
    }
    const score = (words: readonly string[], at: number): number => {
      let sum = 0;
      for (const word of words) {
        const count = counts[at]?.get(word) ?? 0;
        const length = (documents[at]?.length ?? 0) / usual;
        const n = having.get(word) ?? 0;
        const rarity = Math.log(1 + (tools.length - n + 0.5) / (n + 0.5));
        sum += (rarity * count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
      }
      return sum;
    };
    return (query) => {
      const words = wordsOf(query);
      return best(tools, (at) => score(words, at));
    };
  },
};

export const floors: readonly Floor[] = [substrings, bareBm25];

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function best(
  tools: readonly SearchedTool[],
  score: (at: number) => number,
): readonly SearchedTool[] {
  return tools
    .map((tool, at) => ({ tool, score: score(at), at }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, 5)
    .map(({ tool }) => tool);
}
