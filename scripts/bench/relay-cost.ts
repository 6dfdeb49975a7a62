/**
 * What each promise costs a relayed call: the least relay through a Worker, the same with one more promise each, and the
 * product, which call a server in C by turns.
 *
 *     bun scripts/bench/relay-cost.ts [--base-binary FILE] [--binary FILE] [--rounds 15] [--calls 500] [--warm-up 10000]
 */
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { markdownTable } from "../docs/markdown.ts";
import { copyOf } from "./binaries.ts";
import { Connection } from "./client/connection.ts";
import type { ToolCall } from "./client/message.ts";
import { ownProcessorMs } from "./client/process-info.ts";
import { untilListed } from "./client/until-listed.ts";
import { paths } from "./paths.ts";
import { prepareServers } from "./setup.ts";
import { quantile } from "./stats.ts";

const server = path.join(paths.build, "floor_echo");

/** One way to the server. */
interface Way {
  readonly label: string;
  readonly command: readonly string[];
  readonly tool: string;
}

interface Row {
  readonly label: string;
  /** Microseconds of a call, by the client's clock and of all threads; one of each for a round. */
  readonly wall: number[];
  readonly processor: number[];
}

/** Each keeps what those above it keep. */
const promised = [
  "whole messages, checked, with ids of its own",
  "a limit for each call, which progress extends",
  "arguments that fit, results without control characters",
  "no call in plan mode of any process",
  "a log of calls with digests",
];

function waysOf(folder: string, binaries: Readonly<Record<string, string>>): Way[] {
  const least = { tool: "echo" };
  const program = (name: string): string => path.join(paths.build, name);
  const products = Object.entries(binaries).map(([label, binary]) => ({
    label,
    command: [copyOf(binary, folder, label.replaceAll(/\W/g, "-")), "--config", "servers.json"],
    tool: "mcp__floor__echo",
  }));
  return [
    { ...least, label: "least relay through a Worker", command: [program("worker_relay"), server] },
    ...promised.map((label, index) => ({
      ...least,
      label: `+ ${label}`,
      command: [program("promising_relay"), String(index + 1), server],
    })),
    ...products,
  ];
}

async function measure(
  ways: readonly Way[],
  rounds: number,
  calls: number,
  warmUp: number,
): Promise<Row[]> {
  using stack = new DisposableStack();
  const open: (Row & { readonly connection: Connection; readonly call: ToolCall })[] = [];
  for (const { label, command, tool } of ways) {
    const connection = stack.use(start(stack.use(new TempFolder()), command));
    const call = { name: tool, args: { message: "hi" } };
    await untilListed(connection, tool);
    for (let done = 0; done < warmUp; done++) connection.time(connection.toolRequest(call));
    open.push({ label, connection, call, wall: [], processor: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const row of round % 2 === 0 ? open : open.toReversed()) {
      const { connection, call } = row;
      const before = ownProcessorMs(connection.pid);
      const ms = Array.from(
        { length: calls },
        () => connection.time(connection.toolRequest(call)).ms,
      );
      row.processor.push(((ownProcessorMs(connection.pid) - before) * 1e3) / calls);
      row.wall.push(quantile(ms, 0.5) * 1e3);
    }
  }
  return open;
}

function start(home: TempFolder, command: readonly string[]): Connection {
  home.write(
    "servers.json",
    JSON.stringify({ mcpServers: { floor: { command: server, start: "eager" } } }),
  );
  const { PATH = "/usr/bin:/bin" } = process.env;
  const env = { PATH, HOME: home.path, LANG: "C.UTF-8", USER: "user", SHELL: "/bin/sh" };
  const connection = new Connection({ command, cwd: home.path, env, stderrFile: "/dev/null" });
  connection.initialize();
  return connection;
}

/** Ratios are medians over the rounds: both of one round ran beside the same. */
function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.label,
    ...(["wall", "processor"] as const).flatMap((key) => {
      const ratios = row[key].map((value, round) => value / (rows[0]?.[key][round] ?? Number.NaN));
      return [`${quantile(row[key], 0.5).toFixed(0)} µs`, `${quantile(ratios, 0.5).toFixed(2)} ×`];
    }),
  ]);
  return markdownTable(["", "a call", "", "processor time", ""], cells);
}

const { values } = parseArgs({
  options: {
    binary: { type: "string", default: productBinary },
    "base-binary": { type: "string" },
    rounds: { type: "string", default: "15" },
    calls: { type: "string", default: "500" },
    "warm-up": { type: "string", default: "10000" },
  },
});
if (values.binary === productBinary) ensureBuilt(productBinary);
prepareServers(["bare_bun", "floor_echo"]);
using folder = new TempFolder();
const base = values["base-binary"];
const binaries = {
  ...(base === undefined ? {} : { "scorpiox-code before": base }),
  "scorpiox-code": values.binary,
};
const rounds = [values.rounds, values.calls, values["warm-up"]].map(Number);
const [roundCount = 0, calls = 0, warmUp = 0] = rounds;
console.log(tableOf(await measure(waysOf(folder.path, binaries), roundCount, calls, warmUp)));
console.log(
  `\nload ${loadavg()
    .map((average) => average.toFixed(1))
    .join(" ")}`,
);
