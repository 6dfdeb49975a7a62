/**
 * The first list, our own tools and a healthy server beside twenty servers that take a second to start, one that is dead, one
 * that says nothing, one that floods and one that changes its tools all the time.
 *
 *     bun scripts/verify/upstream-start.ts [--runs 10]
 */
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../test/e2e/harness/messages.ts";
import { Server, type ServerMessage } from "../../test/e2e/harness/server.ts";
import type { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import type { Outcome } from "./outcome.ts";
import { p99, median } from "./upstream-figures.ts";

const slowCount = 20;
const coldMsMax = 1_500;
const warmMsMax = 200;
const floodBytes = 100_000_000;
/** A log line of the scripted server has about 95 bytes. */
const floodLogs = floodBytes / 95;
const callsOfBaseline = 3_000;
/** Calls of our own may take so many times what they take on as busy a machine with no other server... */
const timesMax = 2;
/** ...and below this nobody notices the difference; the clock and the scheduler do. */
const noticedMs = 5;

const slowNames = Array.from({ length: slowCount }, (_, index) => `slow${index}`);

/** A server with many neighbours. */
function neighbourhood(): TempFolder {
  const slow = slowNames.map(
    (name) => [name, [{ name, tools: ["echo", "add"], startDelayMs: 1_000 }]] as const,
  );
  return upstreamHome({
    ...Object.fromEntries(slow),
    dead: [{ exitAtStart: 3 }],
    mute: [{ mute: true }],
    flood: [{ name: "flood", tools: ["flood", "huge_line"] }],
    changing: [{ name: "changing" }, { auto_approve: true }],
  });
}

export async function checkUpstreamStart(runs: number): Promise<Outcome> {
  const cold: number[] = [];
  const warm: number[] = [];
  const faults: string[] = [];
  for (let run = 1; run <= runs; run++) {
    using home = neighbourhood();
    cold.push(await firstList(home, true));
    warm.push(await firstList(home, false));
    if (run % 5 === 0) console.log(`upstream-start: ${run} of ${runs}`);
  }
  const [coldMs, warmMs] = [median(cold), median(warm)];
  if (coldMs > coldMsMax) faults.push(`the first list took ${coldMs} ms without a cache`);
  if (warmMs > warmMsMax) faults.push(`the first list took ${warmMs} ms with one`);
  const quiet = p99(await aloneMs());
  const alone = Math.max(quiet, p99(await aloneBesideBusyMs()));
  const beside = await besideMs(faults);
  const allowed = Math.max(alone * timesMax, noticedMs);
  for (const [phase, times] of Object.entries(beside.own)) {
    if (p99(times) <= allowed) continue;
    faults.push(`our own tools ${phase}: p99 ${shown(p99(times))}, at most ${shown(allowed)}`);
  }
  const own = Object.entries(beside.own).map(
    ([phase, times]) => `${phase} ${shown(p99(times))} (${times.length})`,
  );
  return {
    name: "twenty-four other servers",
    passed: faults.length === 0 && runs > 0,
    figures: `first list: ${coldMs} ms, with a cache ${warmMs} ms (medians of ${runs}); p99 of our own tools: alone ${shown(quiet)}, alone on a machine as busy ${shown(alone)}, ${own.join(", ")}; ${beside.healthyCount} calls of healthy servers meanwhile, p99 ${shown(p99(beside.healthyMs))}`,
    faults,
  };
}

const shown = (ms: number): string => `${ms.toFixed(1)} ms`;

/** Milliseconds from the first `tools/list` to its answer. */
async function firstList(home: TempFolder, isCold: boolean): Promise<number> {
  await using server = new Server({ home });
  await server.initialize();
  const at = performance.now();
  await server.request("tools/list");
  const ms = Math.round(performance.now() - at);
  // What they offer is kept for the next start.
  if (isCold) await allReady(server);
  return ms;
}

async function allReady(server: Server): Promise<void> {
  const select = slowNames.map((name) => `mcp__${name}__echo`).join(",");
  await eventually(
    "all servers",
    async () => {
      const found = await server.call("tool_search", {
        query: `select:${select}`,
        detail: "name",
        limit: 25,
      });
      return slowNames.every((name) => textOf(found).includes(`mcp__${name}__echo`));
    },
    60_000,
  );
  await Bun.sleep(300);
}

async function aloneMs(): Promise<number[]> {
  await using server = new Server();
  await server.initialize();
  const times: number[] = [];
  while (times.length < callsOfBaseline) times.push(await ownCall(server));
  return times;
}

/** A flood keeps two processors busy, whoever it is sent to: what that costs by itself. */
async function aloneBesideBusyMs(): Promise<number[]> {
  const spin = "const end = Date.now() + 60_000; while (Date.now() < end) JSON.parse('[1]');";
  const busy = [1, 2].map(() =>
    Bun.spawn([process.execPath, "-e", spin], { stdio: ["ignore", "ignore", "ignore"] }),
  );
  try {
    return await aloneMs();
  } finally {
    for (const child of busy) child.kill("SIGKILL");
  }
}

async function ownCall(server: Server): Promise<number> {
  const at = performance.now();
  const reply = await server.call("ListBgTasks");
  if (isError(reply)) throw new Error(`our own tool failed: ${textOf(reply)}`);
  return performance.now() - at;
}

interface Beside {
  /** Milliseconds of calls of our own tools, by what happened meanwhile. */
  readonly own: Readonly<Record<string, readonly number[]>>;
  readonly healthyMs: readonly number[];
  readonly healthyCount: number;
}

async function besideMs(faults: string[]): Promise<Beside> {
  using home = neighbourhood();
  await using server = new Server({ home });
  await server.initialize();
  server.start("tools/list");
  const starting = await during(server, allReady(server));
  const flood = server.request(
    "tools/call",
    callOf("flood", "flood", { kind: "logs", count: floodLogs }),
    120_000,
  );
  const healthy = healthyCalls(server, flood);
  const logs = await during(server, flood);
  const huge = server.request(
    "tools/call",
    callOf("flood", "huge_line", { bytes: floodBytes }),
    120_000,
  );
  const more = healthyCalls(server, huge);
  const answer = await during(server, huge);
  const changing = changeOften(server);
  const evenMore = healthyCalls(server, changing);
  const lists = await during(server, changing);
  const healthyMs = [...(await healthy), ...(await more), ...(await evenMore)];
  if (!isError(await huge)) faults.push("100 MB were taken for an answer");
  return {
    own: {
      "while they start": starting,
      "beside 100 MB of logs": logs,
      "beside an answer of 100 MB": answer,
      "beside changing lists": lists,
    },
    healthyMs,
    healthyCount: healthyMs.length,
  };
}

function callOf(server: string, tool: string, args: object): object {
  return { name: `mcp__${server}__${tool}`, arguments: args };
}

/** Calls of our own tool, one after the other, until `end` is there. */
async function during(server: Server, end: Promise<unknown>): Promise<number[]> {
  const isOver = watch(end);
  const times: number[] = [];
  while (!isOver()) {
    times.push(await ownCall(server));
    await Bun.sleep(1);
  }
  await end;
  return times;
}

/** Calls of healthy servers until `end` is there; each has to be answered rightly. */
async function healthyCalls(server: Server, end: Promise<unknown>): Promise<number[]> {
  const isOver = watch(end);
  const times: number[] = [];
  for (let index = 0; !isOver(); index++) {
    const name = slowNames[index % slowNames.length] ?? "";
    const at = performance.now();
    const reply = await server.call(`mcp__${name}__echo`, { text: `said ${index}` });
    if (textOf(reply) !== `said ${index}`) throw new Error(`${name} answered ${textOf(reply)}`);
    times.push(performance.now() - at);
    await Bun.sleep(5);
  }
  return times;
}

function watch(end: Promise<unknown>): () => boolean {
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  end.then(note, note);
  return () => isOver;
}

/** A hundred changes in about three seconds. */
async function changeOften(server: Server): Promise<ServerMessage | undefined> {
  let reply: ServerMessage | undefined;
  for (let turn = 0; turn < 100; turn++) {
    const names = ["change_tools", turn % 2 === 0 ? "echo" : "add"];
    reply = await server.request(
      "tools/call",
      callOf("changing", "change_tools", { names }),
      30_000,
    );
    if (isError(reply)) throw new Error(`the changing server failed: ${textOf(reply)}`);
    await Bun.sleep(20);
  }
  return reply;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { runs: { type: "string", default: "10" } } });
  ensureBuilt(productBinary);
  const outcome = await checkUpstreamStart(Number(values.runs));
  for (const fault of outcome.faults) console.log(fault);
  console.log(outcome.figures);
  process.exit(outcome.passed ? 0 : 1);
}
