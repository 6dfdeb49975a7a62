/**
 * What a call costs by how many calls a process has answered before: the engine compiles code that runs often, so that a
 * program with more code on its way takes more calls until it is as quick as it gets. All on one processor, where only work counts.
 *
 *     bun scripts/bench/warm-up.ts [--binary FILE] [--processes 5] [--relay]
 *
 * Prints, for each program and range of calls, the median of a call and its ratio to the least program beside it.
 */
import path from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { markdownTable } from "../docs/markdown.ts";
import { copyOf } from "./binaries.ts";
import { allowAgain, restrictTo } from "./client/affinity.ts";
import { Connection } from "./client/connection.ts";
import type { ToolCall } from "./client/message.ts";
import { untilListed } from "./client/until-listed.ts";
import { paths } from "./paths.ts";
import { formatRatio, formatValue } from "./report/numbers.ts";
import { prepareServers } from "./setup.ts";
import { quantile } from "./stats.ts";

/** Where the ranges end, in calls. */
const ends = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
/** Calls of one program, before it is the next one's turn. */
const block = 50;

/** A program, and its cheapest call. The first one of a list is the least. */
interface Program {
  readonly label: string;
  readonly command: readonly string[];
  readonly call: ToolCall;
}

const echo: ToolCall = { name: "echo", args: { message: "hi" } };
const built = (name: string): string => path.join(paths.build, name);
const upstream = built("floor_echo");

function ownCalls(product: string): Program[] {
  const least = (label: string, name: string): Program => {
    return { label, command: [built(name)], call: echo };
  };
  return [
    least("the least program with the promises of a call", "worker_call"),
    least("official SDK v1, Bun-compiled", "sdk1_bun"),
    least("official SDK v2, Bun-compiled", "sdk2_bun"),
    { label: "scorpiox-code", command: [product], call: { name: "ListBgTasks", args: {} } },
  ];
}

function relayedCalls(product: string): Program[] {
  return [
    {
      label: "the least relay with the promises of a call",
      command: [built("promising_relay"), "5", upstream],
      call: echo,
    },
    {
      label: "scorpiox-code",
      command: [product, "--config", "servers.json"],
      call: { name: "mcp__floor__echo", args: { message: "hi" } },
    },
  ];
}

/** The median of a call in microseconds, by program and range, of one process of each program. */
async function measure(programs: readonly Program[]): Promise<number[][]> {
  using stack = new DisposableStack();
  const connections: Connection[] = [];
  for (const program of programs) connections.push(await open(program, stack));
  const medians: number[][] = programs.map(() => []);
  let done = 0;
  for (const end of ends) {
    const times: number[][] = programs.map(() => []);
    for (; done < end; done += block) {
      for (const [index, { call }] of programs.entries()) {
        const connection = connections[index];
        if (connection === undefined) continue;
        for (let n = 0; n < block; n++) {
          times[index]?.push(connection.time(connection.toolRequest(call)).ms * 1000);
        }
      }
    }
    for (const [index, us] of times.entries()) medians[index]?.push(quantile(us, 0.5));
  }
  return medians;
}

async function open({ command, call }: Program, stack: DisposableStack): Promise<Connection> {
  const home = stack.use(new TempFolder());
  const servers = { floor: { command: upstream, start: "eager" } };
  home.write("servers.json", JSON.stringify({ mcpServers: servers }));
  const { PATH = "/usr/bin:/bin" } = process.env;
  const env = { PATH, HOME: home.path, LANG: "C.UTF-8", USER: "user", SHELL: "/bin/sh" };
  const connection = stack.use(
    new Connection({ command, cwd: home.path, env, stderrFile: "/dev/null" }),
  );
  connection.initialize();
  await untilListed(connection, call.name);
  return connection;
}

/** Each ratio is the median over the processes, of two that ran beside each other. */
function tableOf(programs: readonly Program[], runs: readonly number[][][]): string {
  const median = (of: (run: number[][]) => number): number => quantile(runs.map(of), 0.5);
  const rows = programs.map(({ label }, index) => [
    label,
    ...ends.map((_, range) => {
      const at = (run: number[][], program: number): number => run[program]?.[range] ?? Number.NaN;
      const us = formatValue(
        median((run) => at(run, index)),
        "µs",
      );
      return index === 0
        ? us
        : `${us} (${formatRatio(median((run) => at(run, index) / at(run, 0)))})`;
    }),
  ]);
  return markdownTable(["calls up to", ...ends.map((end) => end.toLocaleString("en"))], rows);
}

const { values } = parseArgs({
  options: {
    binary: { type: "string", default: productBinary },
    processes: { type: "string", default: "5" },
    relay: { type: "boolean", default: false },
  },
});
if (values.binary === productBinary) ensureBuilt(productBinary);
prepareServers(["bare_bun", "floor_echo", "sdk1_bun"]);
using folder = new TempFolder();
const product = copyOf(values.binary, folder.path, "scorpiox-code");
const programs = values.relay ? relayedCalls(product) : ownCalls(product);
const allowed = restrictTo(0);
const runs: number[][][] = [];
for (let run = 0; run < Number(values.processes); run++) runs.push(await measure(programs));
allowAgain(allowed);
console.log(tableOf(programs, runs));
