/**
 * Measures the browser of ReadDocs beside a bare `goto` and `content` in the same run, and fills in the table of
 * `docs/browser.md`.
 *
 *     bun scripts/browser-bench.ts [--rounds 20] [--print]     --print: writes no file
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { describeMachine, isBusy, type Machine } from "./bench/machine.ts";
import { pageTable } from "./docs/markdown.ts";
import { replaceBlock } from "./docs/marked-block.ts";
import { serveBenchSite } from "./readdocs-browser/bench-site.ts";
import { measureCold, measureWarm, type Row, runColdCall } from "./readdocs-browser/measure.ts";

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    print: { type: "boolean", default: false },
    cold: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

if (values.cold) await runColdCall(positionals[0] ?? "", positionals[1] ?? "");
else await run(Number(values.rounds), values.print);

async function run(rounds: number, isPrintOnly: boolean): Promise<void> {
  const machine = describeMachine();
  const site = serveBenchSite();
  const origin = site.url.origin;
  const rows = [
    ...(await measureWarm(origin, rounds)),
    await measureCold(origin, rounds, import.meta.path),
  ];
  await site.stop(true);
  const block = `${tableOf(rows)}\n\nMedians of ${rounds}, in ms. ${machineLine(machine)}`;
  console.log(block);
  if (isPrintOnly) return;
  const file = join(import.meta.dir, "../docs/browser.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, replaceBlock(text, "browser-times", block, "docs/browser.md"));
}

function machineLine(machine: Machine): string {
  const { cores, processor, architecture, kernel, bun, load } = machine;
  const averages = load.map((average) => average.toFixed(2)).join(" ");
  const when = new Date().toISOString().slice(0, 10);
  const line = `${cores} cores (${processor}, ${architecture}), ${kernel}, Bun ${bun}; load ${averages}; ${when}.`;
  return isBusy(machine) ? `${line} The machine was busy: read the ratios only.` : line;
}

function tableOf(rows: readonly Row[]): string {
  const head = ["call", "ReadDocs", "bare, until `load`", "ratio", "bare, network idle", "ratio"];
  const cells = rows.map(({ name, own, bare, idle }) => [
    name,
    own.toFixed(0),
    bare.toFixed(0),
    (own / bare).toFixed(2),
    idle === undefined ? "" : idle.toFixed(0),
    idle === undefined ? "" : (own / idle).toFixed(2),
  ]);
  return pageTable(head, cells);
}
