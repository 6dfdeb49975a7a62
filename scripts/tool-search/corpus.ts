import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { ObjectSchema } from "../../src/protocol/tool-types.ts";
import type { SearchedTool } from "../../src/upstream/snapshot.ts";
import { inventTools } from "./distractors.ts";
import queries from "./queries.json";
import { randomFrom, sample } from "./random.ts";

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

/** Tools with the names and parameters that 25 published servers have, described in the words of this project. */
export const ownTools: readonly SearchedTool[] = readOwnTools(
  readFileSync(join(import.meta.dir, "own-tools.txt"), "utf8"),
);

/** The definitions of those servers as `collect.ts` has written them; undefined when it has not run here. */
export function readCollected(): readonly SearchedTool[] | undefined {
  let text: string;
  try {
    text = readFileSync(collectedFile, "utf8");
  } catch {
    return undefined;
  }
  const servers = JSON.parse(text) as readonly CollectedServer[];
  return servers.flatMap(({ name, tools }) =>
    tools.map((tool) => searchedTool(name, tool.name, tool.description, tool)),
  );
}

/** Not part of the repository: its texts are those of other projects. */
export const collectedFile = join(import.meta.dir, "../../.build/tool-search/tools.json");

interface CollectedServer {
  readonly name: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: object;
  }[];
}

/** Lines `# server` and `tool(parameter, …): description`. */
function readOwnTools(text: string): readonly SearchedTool[] {
  let server = "";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("# ")) server = line.slice(2);
    const [, tool, names = "", description = ""] = /^([\w-]+)\((.*?)\): (.+)$/.exec(line) ?? [];
    if (tool === undefined) return [];
    const properties = Object.fromEntries(
      names.split(", ").flatMap((name) => (name === "" ? [] : [[name, {}]])),
    );
    return [searchedTool(server, tool, description, { inputSchema: { properties } })];
  });
}

function searchedTool(
  server: string,
  tool: string,
  description: string,
  more: { readonly inputSchema: object },
): SearchedTool {
  return {
    server,
    tool,
    listing: {
      ...more,
      name: `mcp__${server}__${tool}`,
      description,
      // One published server has schemas without a type.
      inputSchema: { ...more.inputSchema, type: "object" } satisfies ObjectSchema,
    },
  };
}

/** Weights and words were chosen by the first half; the second was only looked at when that was done. */
export const halves = {
  tuned: queries.filter((_, at) => at % 2 === 0),
  heldOut: queries.filter((_, at) => at % 2 === 1),
} as const;

export type Half = keyof typeof halves;

const seed = 20_261_122;
/** Samples of fifty tools, since one has but few of the gold tools. */
const smallSamples = 20;

/** Several corpora of this size: fifty are drawn from `tools`; larger ones hold all of them and invented ones. */
export function corporaOf(
  tools: readonly SearchedTool[],
  size: number,
  half: Half,
): readonly Corpus[] {
  if (size >= tools.length) {
    const invented = inventTools(size - tools.length, seed);
    return [corpusOf([...tools, ...invented], half)];
  }
  const random = randomFrom(seed);
  return Array.from({ length: smallSamples }, () => corpusOf(sample(tools, size, random), half));
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
