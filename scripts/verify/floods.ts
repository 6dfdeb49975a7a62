/**
 * What small inputs cost that make much of themselves, and commands that take all they can get: the most memory that the
 * server process held, the time of pings meanwhile, and the call after it. Each flood has a server of its own, five
 * times. A process of its own pings every 10 ms, whether the pings before were answered or not; what floods is another.
 *
 *     bun scripts/verify/floods.ts [--runs 5] [--only WORD] [--write]
 *
 * `--write` puts the figures into docs/output.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary, root } from "../../test/e2e/harness/binary.ts";
import { quantile } from "../bench/stats.ts";
import { pageTable } from "../docs/markdown.ts";
import { replaceBlock } from "../docs/marked-block.ts";
import type { Flood, Seen } from "./floods/flood.ts";
import { hogFloods } from "./floods/hogs.ts";
import { messageFloods } from "./floods/messages.ts";
import { pageFloods } from "./floods/pages.ts";
import type { Outcome } from "./outcome.ts";

const runsDefault = 5;
const pingMsMax = 100;

/** One flood, all its runs. */
interface Figures {
  readonly flood: Flood;
  readonly mb: number;
  readonly pings: readonly number[];
  /** What was wrong, in one line each. */
  readonly faults: readonly string[];
}

export async function checkFloods(runs = runsDefault): Promise<Outcome> {
  return outcomeOf(await measure(runs), runs);
}

async function measure(runs: number, only = ""): Promise<readonly Figures[]> {
  const floods = [...(await pageFloods()), ...messageFloods, ...hogFloods()];
  const all: Figures[] = [];
  for (const flood of floods.filter(({ name }) => name.includes(only))) {
    const seen: Seen[] = [];
    const faults: string[] = [];
    for (let run = 0; run < runs; run++) {
      const one = await flood.run().catch(String);
      if (typeof one === "string") faults.push(one);
      else seen.push(one);
    }
    all.push(figuresOf(flood, seen, faults));
  }
  return all;
}

function figuresOf(flood: Flood, seen: readonly Seen[], died: readonly string[]): Figures {
  const peaks = seen.map(({ mb }) => mb);
  const pings = seen.flatMap((one) => one.pings);
  const faults = [...died, ...seen.flatMap(({ fault }) => fault ?? [])];
  const mb = peaks.length === 0 ? Number.NaN : quantile(peaks, 0.5);
  if (mb > flood.mbMax) faults.push(`${mb.toFixed(0)} MB, at most ${flood.mbMax}`);
  const late = pings.length === 0 ? 0 : quantile(pings, 0.95);
  if (late > pingMsMax) faults.push(`ping p95 ${late.toFixed(1)} ms, at most ${pingMsMax}`);
  return { flood, mb, pings, faults };
}

function outcomeOf(all: readonly Figures[], runs: number): Outcome {
  const details = all.map((one): [string, string, string] => {
    const [peak, p95, worst] = cellsOf(one);
    const figure = `${peak} MB, at most ${one.flood.mbMax}; of ${one.pings.length} pings p95 ${p95} ms, worst ${worst} ms`;
    return [one.flood.name, one.faults.length === 0 ? "pass" : "FAIL", figure];
  });
  const faults = all.flatMap((one) => one.faults.map((fault) => `${one.flood.name}: ${fault}`));
  const figures = `${all.length} floods, median of ${runs} peaks each; ping p95 at most ${pingMsMax} ms; the next call right`;
  return { name: "floods", passed: faults.length === 0, figures, faults, details };
}

function cellsOf({ mb, pings }: Figures): [string, string, string] {
  const ms = (part: number): string =>
    pings.length === 0 ? "–" : quantile(pings, part).toFixed(1);
  return [mb.toFixed(0), ms(0.95), ms(1)];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: String(runsDefault) },
      only: { type: "string", default: "" },
      write: { type: "boolean", default: false },
    },
  });
  ensureBuilt(productBinary);
  const runs = Number(values.runs);
  const all = await measure(runs, values.only);
  const { faults, details = [] } = outcomeOf(all, runs);
  for (const row of details) console.log(row.join("  "));
  for (const fault of faults) console.log(fault);
  if (values.write) {
    const headings = ["flood", "peak, MB", "at most", "ping p95, ms", "worst, ms"];
    const rows = all.map((one) => {
      const [peak, p95, worst] = cellsOf(one);
      return [one.flood.name, peak, String(one.flood.mbMax), p95, worst];
    });
    const path = join(root, "docs/output.md");
    const table = pageTable(headings, rows);
    await Bun.write(path, replaceBlock(await Bun.file(path).text(), "floods", table, path));
  }
  process.exit(faults.length === 0 ? 0 : 1);
}
