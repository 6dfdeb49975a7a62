/**
 * What other servers cost those who have none, and those who have one: starts and memory beside an executable from before
 * there was anything of it, both copied, turn by turn.
 *
 *     bun scripts/bench/gateway-cost.ts [--base COMMIT | --base-binary FILE] [--binary FILE] [--starts 30] [--write]
 *
 * With --write the table in docs/gateway.md is replaced. Exit code 1 when one who has no server pays for it.
 */
import { cpus, loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary, root } from "../../test/e2e/harness/binary.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { buildCommit, copyOf } from "./binaries.ts";
import { type Case, type Figures, measureStart, scripted } from "./gateway-cost/cases.ts";
import { HttpServer } from "./http/http-server.ts";
import { pageTable } from "../docs/markdown.ts";
import { quantile } from "./stats.ts";

/** The last commit without a line of it. */
const lastBefore = "e0c9b04";
const msMax = 2;
const mbMax = 2;
/** What is not compared is measured less often. */
const othersShare = 0.2;

interface Row {
  readonly label: string;
  readonly starts: readonly Figures[];
}

async function measureAll(before: string, now: string, starts: number): Promise<Row[]> {
  using upstream = new HttpServer({
    command: [process.execPath, path.join(import.meta.dir, "floors/http-upstream.ts")],
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: root,
    stderrFile: "/dev/null",
  });
  const compared: Case[] = [
    { label: "before", binary: before },
    { label: "no server configured", binary: now },
  ];
  const others: Case[] = [
    { label: "one configured, `MCP=0`", binary: now, servers: { a: scripted }, env: { MCP: "0" } },
    {
      label: "one known from an earlier start, not used",
      binary: now,
      servers: { a: scripted },
      isKnown: true,
    },
    {
      label: "one over a pipe, called",
      binary: now,
      servers: { a: scripted },
      tool: "mcp__a__echo",
    },
    {
      label: "one over HTTP, called",
      binary: now,
      servers: { a: { url: upstream.url } },
      tool: "mcp__a__echo",
    },
  ];
  const rows = [
    ...(await inTurns(compared, starts)),
    ...(await inTurns(others, Math.ceil(starts * othersShare))),
  ];
  return rows;
}

/** The first round fills the page cache and is not counted. */
async function inTurns(cases: readonly Case[], rounds: number): Promise<Row[]> {
  const rows = cases.map(({ label }) => ({ label, starts: [] as Figures[] }));
  for (let round = 0; round <= rounds; round++) {
    const order = [...cases.entries()];
    for (const [index, what] of round % 2 === 0 ? order : order.toReversed()) {
      const figures = await measureStart(what);
      if (round > 0) rows[index]?.starts.push(figures);
    }
  }
  return rows;
}

function medianOf({ starts }: Row, key: keyof Figures): number {
  return quantile(
    starts.map((figures) => figures[key]),
    0.5,
  );
}

function reportOf(rows: readonly Row[]): string {
  const headings = ["", "initialize", "tools/list", "resident", "private", "Workers", "processes"];
  const cells = rows.map((row) => [
    row.label,
    `${medianOf(row, "initializeMs").toFixed(1)} ms`,
    `${medianOf(row, "toolsListMs").toFixed(1)} ms`,
    `${medianOf(row, "residentMb").toFixed(1)} MB`,
    `${medianOf(row, "privateMb").toFixed(1)} MB`,
    String(medianOf(row, "workers")),
    String(medianOf(row, "processes")),
  ]);
  const [cpu] = cpus();
  const load = loadavg().map((average) => average.toFixed(2));
  const machine = `${cpus().length} cores (${cpu?.model.trim()}, ${process.arch}), Bun ${Bun.version}`;
  const counts = rows.map(({ starts }) => starts.length);
  const notes = `Medians of ${Math.max(...counts)} starts, of the last four rows ${Math.min(...counts)}; memory of our own process, 1.5 s after. ${machine}; load ${load.join(" ")}; ${new Date().toISOString().slice(0, 10)}.`;
  return `${pageTable(headings, cells)}\n\n${notes}`;
}

/** What those who have no server pay more than may be. */
function faultsOf([before, now]: readonly Row[]): string[] {
  if (before === undefined || now === undefined) return ["nothing was measured"];
  const bounds = { initializeMs: msMax, toolsListMs: msMax, residentMb: mbMax } as const;
  return Object.entries(bounds).flatMap(([name, max]) => {
    const key = name as keyof typeof bounds;
    // Of the two starts of one round, which the machine has treated alike.
    const differences = now.starts.map((start, at) => start[key] - (before.starts[at]?.[key] ?? 0));
    const more = quantile(differences, 0.5);
    return more > max ? [`${key}: ${more.toFixed(2)} more than before, at most ${max}`] : [];
  });
}

/** @throws Error when the page has lost its markers */
async function write(report: string): Promise<void> {
  const page = path.join(root, "docs/gateway.md");
  const [begin, end] = ["<!-- gateway-cost:begin -->", "<!-- gateway-cost:end -->"];
  const [head, rest] = (await Bun.file(page).text()).split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`${page} has no ${begin} … ${end}`);
  await Bun.write(page, `${head}${begin}\n\n${report}\n\n${end}${tail}`);
  Bun.spawnSync([process.execPath, "fmt", "--no-script", page], { cwd: root });
}

const { values } = parseArgs({
  options: {
    base: { type: "string", default: lastBefore },
    "base-binary": { type: "string" },
    binary: { type: "string", default: productBinary },
    starts: { type: "string", default: "30" },
    write: { type: "boolean", default: false },
  },
});
if (values.binary === productBinary) ensureBuilt(productBinary);
using folder = new TempFolder();
const before = values["base-binary"] ?? buildCommit(values.base, folder.path);
const rows = await measureAll(
  copyOf(before, folder.path, "before"),
  copyOf(values.binary, folder.path, "now"),
  Number(values.starts),
);
const report = reportOf(rows);
console.log(report);
if (values.write) await write(report);
const faults = faultsOf(rows);
for (const fault of faults) console.error(`gateway-cost: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
