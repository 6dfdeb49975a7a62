/**
 * Measures the search for tools: how often a right one is found, and how long it takes.
 *
 *     bun scripts/tool-search/run.ts [--collected] [--write] [--missed]
 *
 * Exits with 1 when a goal is missed. `--collected` measures on the definitions that `collect.ts` has fetched instead of our own,
 * `--write` puts the figures into docs/tool-search.md (format it afterwards), `--missed` prints the queries that found nothing.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { answerSearch } from "../../src/upstream/search/answer-search.ts";
import type { SearchedTool } from "../../src/upstream/snapshot.ts";
import { buildToolIndex } from "../../src/upstream/search/tool-index.ts";
import { corporaOf, halves, ownTools, readCollected, type Half } from "./corpus.ts";
import { floors } from "./floors.ts";
import { measure, productSearch, type Figures } from "./measure.ts";

const { values } = parseArgs({
  options: {
    collected: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    missed: { type: "boolean", default: false },
  },
});

const tools = values.collected ? readCollected() : ownTools;
if (tools === undefined)
  throw new Error("nothing is collected: run scripts/tool-search/collect.ts");

/** Tools → the share of queries for which a right tool must be among the first five. */
const goals = new Map([
  [50, 0.95],
  [500, 0.95],
  [4000, 0.85],
]);
const buildMsMax = 300;
const searchMsMax = 10;

const rows: string[] = [
  "| Tools | Search | Queries | First is right | Right one in five | – of the tuned half | – of the held-out half | Goal |",
  "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
];
let isMet = true;
for (const [size, goal] of goals) {
  const searches = [{ name: "tool_search", prepare: productSearch }, ...floors];
  for (const { name, prepare } of searches) {
    const parts = {
      tuned: await measure(tools, size, "tuned", prepare),
      heldOut: await measure(tools, size, "heldOut", prepare),
    };
    const all = together(parts.tuned, parts.heldOut);
    const isOurs = prepare === productSearch;
    if (isOurs && all.recall5 < goal) isMet = false;
    const figures = [all.top1, all.recall5, parts.tuned.recall5, parts.heldOut.recall5].map(share);
    rows.push(
      `| ${[size, name, all.queries, ...figures, isOurs ? share(goal) : ""].join(" | ")} |`,
    );
    if (isOurs && values.missed) printMissed(size, all);
  }
}
const times = await timesOf(tools, 4000);
if (times.buildMs > buildMsMax || times.p95 > searchMsMax) isMet = false;
rows.push(
  "",
  `Times with 4,000 tools: index ${times.buildMs.toFixed(0)} ms (goal ${buildMsMax} ms); a search with its reply ` +
    `${times.p50.toFixed(1)} ms in the middle, ${times.p95.toFixed(1)} ms at most for 95 of 100 (goal ${searchMsMax} ms).`,
);
console.log(rows.join("\n"));
if (values.write) await writeFigures(rows.join("\n"));
process.exit(isMet ? 0 : 1);

function together(a: Figures, b: Figures): Figures {
  const queries = a.queries + b.queries;
  const mean = (part: (figures: Figures) => number): number =>
    (part(a) * a.queries + part(b) * b.queries) / queries;
  return {
    queries,
    top1: mean(({ top1 }) => top1),
    recall5: mean(({ recall5 }) => recall5),
    missed: [...a.missed, ...b.missed],
  };
}

function share(value: number): string {
  return value.toFixed(3);
}

function printMissed(size: number, { missed }: Figures): void {
  for (const { query, gold } of missed) console.error(`${size}: ${query} -> ${gold.join(", ")}`);
}

interface Times {
  readonly buildMs: number;
  readonly p50: number;
  readonly p95: number;
}

/** Milliseconds, warm: the middle of five builds, and all queries three times. */
async function timesOf(tools: readonly SearchedTool[], size: number): Promise<Times> {
  const allHalves = Object.keys(halves) as readonly Half[];
  const [corpus] = corporaOf(tools, size, "tuned");
  if (corpus === undefined) throw new Error("no corpus");
  const builds: number[] = [];
  for (let build = 0; build < 5; build++) {
    builds.push(await msOf(() => buildToolIndex(corpus.tools)));
  }
  const parts = { index: buildToolIndex(corpus.tools), servers: [], blocked: [] };
  const queries = allHalves.flatMap((half) =>
    corporaOf(tools, size, half).flatMap((one) => one.queries),
  );
  const searches: number[] = [];
  for (const { query } of [...queries, ...queries, ...queries]) {
    searches.push(await msOf(() => answerSearch({ query, charsMax: 30_000 }, parts)));
  }
  return { buildMs: rankAt(builds, 0.5), p50: rankAt(searches, 0.5), p95: rankAt(searches, 0.95) };
}

async function msOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function rankAt(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

async function writeFigures(figures: string): Promise<void> {
  const path = join(import.meta.dir, "../../docs/tool-search.md");
  const text = await Bun.file(path).text();
  const mark = values.collected ? "figures" : "own figures";
  const [before, , after] = text.split(new RegExp(`<!-- ${mark}(?: end)? -->`));
  const marked = `<!-- ${mark} -->\n\n${figures}\n\n<!-- ${mark} end -->`;
  await Bun.write(path, `${before}${marked}${after}`);
}
