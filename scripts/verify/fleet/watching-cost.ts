/**
 * What watching a server over HTTP costs its calls, in its processor time, turn by turn in one run.
 *
 *     bun run verify --only watching-cost [--base-binary FILE]
 */
import { readFileSync } from "node:fs";

import { modernMessage, mirrored } from "../../../test/e2e/harness/http-client.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { Collector } from "../../../test/observe/otlp/collector.ts";
import type { Outcome } from "../outcome.ts";

const rounds = 25;
const callsInRound = 400;
/** Of a clock tick in `/proc`, which has 100 in a second. */
const tickUs = 10_000;

/** The cheapest list and the cheapest call of an own tool. */
const kinds = {
  "tools/list": ["tools/list", {}],
  ListBgTasks: ["tools/call", { name: "ListBgTasks", arguments: {} }],
} as const;

/** @param baseBinary an executable from before, as the control */
export async function checkWatchingCost(baseBinary: string | undefined): Promise<Outcome> {
  using folder = new TempFolder();
  using collector = new Collector();
  const log = ["--access-log", folder.at("access.log")];
  const all = [...log, "--metrics", "127.0.0.1:0", "--otlp", collector.url];
  await using off = await HttpServer.start();
  await using logged = await HttpServer.start({ args: log });
  await using watched = await HttpServer.start({ args: all });
  await using base =
    baseBinary === undefined ? undefined : await HttpServer.start({ binary: baseBinary });
  const servers = [
    ...(base === undefined ? [] : [["before", base] as const]),
    ["off", off] as const,
    ["access log", logged] as const,
    ["all", watched] as const,
  ];
  const lines: string[] = [];
  for (const [name, [method, params]] of Object.entries(kinds)) {
    const sums = new Map<string, number>();
    for (const [, server] of servers) await send(server, method, params);
    for (let round = 0; round < rounds; round += 1) {
      for (const [which, server] of servers) {
        const before = ticksOf(server.pid);
        await send(server, method, params);
        sums.set(which, (sums.get(which) ?? 0) + ticksOf(server.pid) - before);
      }
    }
    const figures = [...sums].map(
      ([which, ticks]) => `${which} ${((ticks * tickUs) / (rounds * callsInRound)).toFixed(0)} µs`,
    );
    lines.push(`${name}: ${figures.join(", ")}`);
  }
  const figures = `processor time of the server for a request, mean of ${rounds} × ${callsInRound}, one after the other: ${lines.join("; ")}`;
  const { faults } = collector;
  return { name: "watching-cost", passed: faults.length === 0, figures, faults };
}

async function send(server: HttpServer, method: string, params: object): Promise<void> {
  const message = modernMessage(1, method, { ...params });
  const headers = {
    ...mirrored(message),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const body = JSON.stringify(message);
  for (let count = 0; count < callsInRound; count += 1) {
    const response = await fetch(server.url, { method: "POST", headers, body });
    await response.text();
  }
}

/** Processor time of a process, its threads included. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
