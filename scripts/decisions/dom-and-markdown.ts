/**
 * Our tree, Markdown and TeX beside libraries that do the same:
 *
 *   bun scripts/decisions/dom-and-markdown.ts            prints the tables
 *   bun scripts/decisions/dom-and-markdown.ts --write    writes them into docs/internals/decisions/dom-and-markdown.md
 *
 * Trees and Markdown are made of the annotated pages beside the checkout, each way in a process of its own, which this script
 * starts with --one NAME; without the pages only the formulas are compared.
 */
import { join } from "node:path";

import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { pageTable } from "../docs/markdown.ts";
import { replaceBlock } from "../docs/marked-block.ts";
import { meanOf, scoresOf } from "../readdocs/ablation/scores.ts";
import { loadCorpus } from "../readdocs/train/corpus.ts";
import { codeLinesOf } from "../structure/declaration-lines.ts";
import { formulas, formulaWays } from "./dom-and-markdown/formulas.ts";
import { type Way, ways } from "./dom-and-markdown/ways.ts";

const root = join(import.meta.dir, "../..");
const page = join(root, "docs/internals/decisions/dom-and-markdown.md");
const mib = 1024 * 1024;
const commonHead = ["", "our lines", "kB of library", "ms p50 / p95", "MiB"];

/** What a way makes of each page, by id. */
interface Outcome {
  readonly outputs: Readonly<Record<string, string>>;
  readonly ms: readonly number[];
  readonly peakBytes: number;
}

const one = process.argv.indexOf("--one");
if (one === -1) await compareAll();
else await runOne(process.argv[one + 1] ?? "", process.argv[one + 2] ?? "/dev/stdout");

async function runOne(name: string, out: string): Promise<void> {
  const way = ways.find((known) => known.name === name);
  if (way === undefined) throw new Error(`There is no way ${name}.`);
  const { prepare, run, finish } = await way.load();
  const outputs: Record<string, string> = {};
  const ms: number[] = [];
  for (const { id, html, url } of loadCorpus()) {
    const prepared = await prepare(html(), url);
    const start = performance.now();
    const made = run(prepared);
    ms.push(performance.now() - start);
    outputs[id] = finish(made);
  }
  // It is given in KiB.
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  await Bun.write(out, JSON.stringify({ outputs, ms, peakBytes }));
  process.exit(0);
}

async function compareAll(): Promise<void> {
  const tables = new Map([["formulas", await formulaTable()]]);
  if (loadCorpus().length === 0) console.error("trees and Markdown: not run, there is no corpus");
  else {
    tables.set("trees", await treeTable());
    tables.set("markdown", await markdownTableOf());
  }
  if (!process.argv.includes("--write")) return console.log([...tables.values()].join("\n\n"));
  let text = await Bun.file(page).text();
  for (const [name, table] of tables) text = replaceBlock(text, name, table, page);
  await Bun.write(page, text);
}

async function treeTable(): Promise<string> {
  const trees = ways.filter(({ kind }) => kind === "tree");
  const rows: string[][] = [];
  let standard: Outcome | undefined;
  for (const way of trees) {
    const outcome = await outcomeOf(way);
    standard ??= outcome;
    const { outputs } = standard;
    const ids = Object.keys(outputs);
    const same = ids.filter((id) => outcome.outputs[id] === outputs[id]).length;
    rows.push([...(await commonCells(way, outcome)), `${same} of ${ids.length}`]);
  }
  return pageTable([...commonHead, "pages with the text of the standard's tree"], rows);
}

async function markdownTableOf(): Promise<string> {
  const pages = loadCorpus();
  const rows: string[][] = [];
  for (const way of ways.filter(({ kind }) => kind === "markdown")) {
    const outcome = await outcomeOf(way);
    const { f1, parts } = await scoresOf(pages, outcome.outputs);
    const cells = [meanOf([...f1.values()]), meanOf(parts)].map((value) => value.toFixed(3));
    rows.push([...(await commonCells(way, outcome)), ...cells]);
  }
  return pageTable([...commonHead, "F1", "code, tables, headings"], rows);
}

async function commonCells(way: Way, { ms, peakBytes }: Outcome): Promise<string[]> {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(1);
  return [
    way.name,
    String(codeLinesOf(root, way.code)),
    await bundledKilobytes(way.library),
    `${at(0.5)} / ${at(0.95)}`,
    (peakBytes / mib).toFixed(0),
  ];
}

async function formulaTable(): Promise<string> {
  const rows: string[][] = [];
  for (const way of formulaWays) {
    const toTex = await way.load();
    const right = formulas.filter(({ mathml, tex }) => {
      const written = attempt(() => toTex(mathml)).replaceAll(/\s/g, "");
      return [tex].flat().some((accepted) => accepted.replaceAll(/\s/g, "") === written);
    }).length;
    const start = performance.now();
    for (let round = 0; round < 200; round++) {
      for (const { mathml } of formulas) attempt(() => toTex(mathml));
    }
    const ms = (performance.now() - start) / (200 * formulas.length);
    const deep = `<math>${"<mrow>".repeat(20_000)}<mi>x</mi>${"</mrow>".repeat(20_000)}</math>`;
    rows.push([
      way.name,
      String(codeLinesOf(root, way.code)),
      await bundledKilobytes(way.library),
      (ms * 1000).toFixed(0),
      `${right} of ${formulas.length}`,
      attempt(() => toTex(deep)) === "failed" ? "fails" : "is read",
    ]);
  }
  const head = ["", "our lines", "kB of library", "µs a formula", "right", "20,000 levels"];
  return pageTable(head, rows);
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "failed";
  }
}

/** The size of a library in a minified bundle. */
async function bundledKilobytes(modules: readonly string[]): Promise<string> {
  if (modules.length === 0) return "–";
  using folder = new TempFolder();
  const entry = join(folder.path, "entry.ts");
  const lines = modules.map((name, index) => {
    const path = Bun.resolveSync(name, root);
    return `export * as part${index} from ${JSON.stringify(path)};`;
  });
  await Bun.write(entry, lines.join("\n"));
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    minify: true,
    target: "bun",
    external: ["canvas"],
  });
  return (outputs.reduce((sum, { size }) => sum + size, 0) / 1000).toFixed(0);
}

async function outcomeOf({ name }: Way): Promise<Outcome> {
  using folder = new TempFolder();
  const out = join(folder.path, "outcome.json");
  const child = Bun.spawn([process.execPath, import.meta.path, "--one", name, out], {
    stdout: "ignore",
    stderr: "inherit",
  });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${name} ended with exit code ${exitCode}.`);
  return (await Bun.file(out).json()) as Outcome;
}
