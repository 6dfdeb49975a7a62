/**
 * Compares extractors over the annotated pages beside the checkout:
 *
 *   bun scripts/readdocs/compare.ts            prints the table
 *   bun scripts/readdocs/compare.ts --write    writes it into docs/readdocs.md
 *
 * Each extractor runs in a process of its own, which this script starts with --one NAME.
 */
import { join } from "node:path";

import { replaceBlock } from "../docs/marked-block.ts";
import { extractors } from "./compare/extractors.ts";
import type { Extracted } from "./compare/extractors.ts";
import { measuredRow, publishedRows, tableOf } from "./compare/score-table.ts";
import { loadCorpus } from "./train/corpus.ts";
import { crossValidate } from "./train/cross-validate.ts";

const page = join(import.meta.dir, "../../docs/readdocs.md");

const one = process.argv.indexOf("--one");
if (one !== -1) await runOne(process.argv[one + 1] ?? "");
else await compare(process.argv.includes("--write"));

/** Prints what one extractor gives for all pages, and its peak memory, as JSON. */
async function runOne(name: string): Promise<void> {
  const extract = await extractors[name]?.();
  if (extract === undefined) throw new Error(`There is no extractor ${name}.`);
  const outputs: Record<string, Extracted> = {};
  for (const entry of loadCorpus()) outputs[entry.id] = await extract(entry);
  // It is given in KiB.
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  // What a library prints does not spoil a file.
  await Bun.write(process.argv[one + 2] ?? "/dev/stdout", JSON.stringify({ outputs, peakBytes }));
  process.exit(0);
}

async function compare(writes: boolean): Promise<void> {
  const pages = loadCorpus();
  if (pages.length === 0) {
    console.error("There is no corpus beside the checkout: ../shared/readdocs/corpus");
    process.exit(1);
  }
  const rows: string[][] = [];
  for (const name of Object.keys(extractors)) {
    const { outputs, peakBytes } = await runChild(name);
    rows.push(await measuredRow(name, pages, outputs, peakBytes));
    console.error(name);
  }
  const validated = Object.entries(await crossValidate(pages)).map(
    ([id, output]): [string, Extracted] => [id, { output, ms: Number.NaN }],
  );
  rows.splice(
    1,
    0,
    await measuredRow("scorpiox-code, cross-validated", pages, Object.fromEntries(validated)),
  );
  const table = tableOf([...rows, ...publishedRows]);
  if (!writes) return console.log(table);
  const text = await Bun.file(page).text();
  await Bun.write(page, replaceBlock(text, "comparison", table, "docs/readdocs.md"));
}

async function runChild(
  name: string,
): Promise<{ readonly outputs: Record<string, Extracted>; readonly peakBytes: number }> {
  const file = join(process.env["TMPDIR"] ?? "/tmp", `compare-${process.pid}.json`);
  const child = Bun.spawn([process.execPath, import.meta.path, "--one", name, file], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${name} ended with exit code ${exitCode}.`);
  const result = (await Bun.file(file).json()) as Awaited<ReturnType<typeof runChild>>;
  await Bun.file(file).delete();
  return result;
}
