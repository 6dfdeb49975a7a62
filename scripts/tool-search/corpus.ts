import type { ObjectSchema } from "../../src/protocol/tool-types.ts";
import type { SearchedTool } from "../../src/upstream/search/searched-tool.ts";
import { inventTools } from "./distractors.ts";
import queries from "./queries.json";
import { randomFrom, sample } from "./random.ts";
import collected from "./tools.json";

/** What somebody wants, and the tools that do it: `server/tool`, any of them is right. */
export interface GoldQuery {
  readonly query: string;
  readonly gold: readonly string[];
}

/** Tools to search, and the queries that one of them answers. */
export interface Corpus {
  readonly tools: readonly SearchedTool[];
  readonly queries: readonly GoldQuery[];
}

/** The definitions of published servers. */
export const realTools: readonly SearchedTool[] = collected.flatMap((server) =>
  server.tools.map((tool) => ({
    server: server.name,
    tool: tool.name,
    listing: {
      ...tool,
      name: `mcp__${server.name}__${tool.name}`,
      // One server of them publishes schemas without a type.
      inputSchema: { ...tool.inputSchema, type: "object" } satisfies ObjectSchema,
    },
  })),
);

/** Weights and words were chosen by the first half; the second was only looked at when that was done. */
export const halves = {
  tuned: queries.filter((_, at) => at % 2 === 0),
  heldOut: queries.filter((_, at) => at % 2 === 1),
} as const;

export type Half = keyof typeof halves;

const seed = 20_261_122;
/** Samples of fifty tools, since one has but few of the gold tools. */
const smallSamples = 20;

/** Several corpora of this size: fifty are drawn from the real tools; larger ones hold all of them and invented ones. */
export function corporaOf(size: number, half: Half): readonly Corpus[] {
  if (size >= realTools.length) {
    const invented = inventTools(size - realTools.length, seed);
    return [corpusOf([...realTools, ...invented], half)];
  }
  const random = randomFrom(seed);
  return Array.from({ length: smallSamples }, () =>
    corpusOf(sample(realTools, size, random), half),
  );
}

/** A gold tool that is not in the corpus does not count; a query without one is left out. */
function corpusOf(tools: readonly SearchedTool[], half: Half): Corpus {
  const there = new Set(tools.map(keyOf));
  const queries = halves[half].flatMap(({ query, gold }) => {
    const left = gold.filter((key) => there.has(key));
    return left.length === 0 ? [] : [{ query, gold: left }];
  });
  return { tools, queries };
}

/** As gold tools are named. */
export function keyOf({ server, tool }: SearchedTool): string {
  return `${server}/${tool}`;
}
