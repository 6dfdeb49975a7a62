/**
 * What a whole session costs: processor time of the server and of every process that it starts, until the last one is gone.
 * Each session initializes, makes its calls, stays for a moment and ends its input. As root on Linux: a control group counts.
 *
 *     bun scripts/bench/session-cost.ts [--sessions 15] [--binary FILE] [--base-binary FILE]
 *
 * Prints milliseconds of processor time, the median of the sessions; with a base, in turns and as a ratio too.
 */
import { parseArgs } from "node:util";

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { productBinary } from "../../test/e2e/harness/binary.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { markdownTable } from "../docs/markdown.ts";
import { type ControlGroup, controlGroup, joined } from "./control-group.ts";
import { quantile } from "./stats.ts";

/** Shells for the next commands are there by then. */
const stayMs = 150;

const calls: Readonly<
  Record<string, readonly [tool: string, args: Readonly<Record<string, unknown>>][]>
> = {
  "no call": [],
  ListBgTasks: [["ListBgTasks", {}]],
  "Bash `echo hi`": [["Bash", { command: "echo hi" }]],
  "a background task": [["BackgroundBash", { command: "sleep 300" }]],
};

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "15" },
    binary: { type: "string", default: productBinary },
    "base-binary": { type: "string" },
  },
});
const group = controlGroup(`session-cost-${process.pid}`);
if (group === undefined) throw new Error("a control group is needed: run as root on Linux");
const base = values["base-binary"];
const binaries = base === undefined ? [values.binary] : [base, values.binary];
const rows: string[][] = [];
for (const name of Object.keys(calls)) rows.push(await rowOf(name, group));
console.log(
  markdownTable(
    [
      "session",
      ...(base === undefined ? [] : ["before, ms"]),
      "ms",
      ...(base === undefined ? [] : ["ratio"]),
    ],
    rows,
  ),
);
group.remove();

async function rowOf(name: string, counted: ControlGroup): Promise<string[]> {
  const times = binaries.map((): number[] => []);
  for (let session = 0; session < Number(values.sessions); session += 1) {
    for (const [index, binary] of binaries.entries()) {
      times[index]?.push(await costMs(binary, name, counted));
    }
  }
  const medians = times.map((each) => quantile(each, 0.5));
  const [before = Number.NaN, now] = medians;
  return [
    name,
    ...medians.map((ms) => ms.toFixed(1)),
    ...(now === undefined ? [] : [(now / before).toFixed(3)]),
  ];
}

async function costMs(binary: string, name: string, counted: ControlGroup): Promise<number> {
  const before = counted.secondsUsed();
  const server = new Server({ binary, wrap: joined(counted) });
  await server.initialize();
  for (const [tool, args] of calls[name] ?? []) await server.call(tool, args);
  await Bun.sleep(stayMs);
  await server[Symbol.asyncDispose]();
  await eventually("the end of all processes", () => counted.isEmpty());
  return (counted.secondsUsed() - before) * 1_000;
}
