/**
 * The first list, our own tools and a healthy server beside twenty servers that take a second to start, one that is dead, one
 * that says nothing, one that floods and one that changes its tools all the time.
 *
 *     bun scripts/verify/upstream-start.ts [--runs 10]
 */

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../test/e2e/harness/messages.ts";
import { Server, type ServerMessage } from "../../test/e2e/harness/server.ts";
import type { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import type { Outcome } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";
import { p99, median } from "./upstream-figures.ts";

const slowCount = 20;
const coldMsMax = 1_500;
const warmMsMax = 200;
const floodBytes = 100_000_000;
/** A log line of the scripted server has about 95 bytes. */
const floodLogs = floodBytes / 95;
/** So many answers of that length, so that there is time for some calls beside them. */
const hugeAnswers = 5;
/** Calls of our own may take so many times what they take a program with no other server at the same time... */
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
    flood: [{ name: "flood", tools: ["flood", "huge_line", "echo"] }],
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
  const beside = await besideMs(faults);
  for (const [phase, { own, alone }] of Object.entries(beside.phases)) {
    const allowed = Math.max(p99(alone) * timesMax, noticedMs);
    if (p99(own) <= allowed) continue;
    faults.push(`our own tools ${phase}: p99 ${shown(p99(own))}, at most ${shown(allowed)}`);
  }
  const own = Object.entries(beside.phases).map(
    ([phase, times]) =>
      `${phase} ${shown(p99(times.own))}, at the same time without other servers ${shown(p99(times.alone))} (${times.own.length} calls)`,
  );
  return {
    name: "twenty-four other servers",
    passed: faults.length === 0 && runs > 0,
    figures: `first list: ${coldMs} ms, with a cache ${warmMs} ms (medians of ${runs}); p99 of our own tools: ${own.join("; ")}; ${beside.healthyCount} calls of healthy servers meanwhile, p99 ${shown(p99(beside.healthyMs))}`,
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

async function ownCall(server: Server): Promise<number> {
  const at = performance.now();
  const reply = await server.call("ListBgTasks");
  if (isError(reply)) throw new Error(`our own tool failed: ${textOf(reply)}`);
  return performance.now() - at;
}

/** Milliseconds of calls of our own tools, of the program that is looked at and of one without other servers. */
interface Times {
  readonly own: readonly number[];
  readonly alone: readonly number[];
}

interface Beside {
  /** By what happened meanwhile. */
  readonly phases: Readonly<Record<string, Times>>;
  readonly healthyMs: readonly number[];
  readonly healthyCount: number;
}

async function besideMs(faults: string[]): Promise<Beside> {
  using home = neighbourhood();
  await using server = new Server({ home });
  await using control = new Server();
  await Promise.all([server.initialize(), control.initialize()]);
  server.start("tools/list");
  const during = (end: Promise<unknown>): Promise<Times> => timesDuring(server, control, end);
  const starting = await during(allReady(server));
  const flood = server.request(
    "tools/call",
    callOf("flood", "flood", { kind: "logs", count: floodLogs }),
    120_000,
  );
  const healthy = healthyCalls(server, flood);
  const logs = await during(flood);
  const huge = hugeAnswersOf(server);
  const more = healthyCalls(server, huge);
  const answer = await during(huge);
  const changing = changeOften(server);
  const evenMore = healthyCalls(server, changing);
  const lists = await during(changing);
  const healthyMs = [...(await healthy), ...(await more), ...(await evenMore)];
  if (!(await huge).every(isError)) faults.push("100 MB were taken for an answer");
  return {
    phases: {
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

/** Calls of our own tool, one after the other, in turns of both programs, until `end` is there. */
async function timesDuring(server: Server, control: Server, end: Promise<unknown>): Promise<Times> {
  const isOver = watch(end);
  const [own, alone]: [number[], number[]] = [[], []];
  while (!isOver()) {
    own.push(await ownCall(server));
    alone.push(await ownCall(control));
    await Bun.sleep(1);
  }
  await end;
  return { own, alone };
}

/** Each is followed by a call that is answered when the line has come to its end. */
async function hugeAnswersOf(server: Server): Promise<readonly ServerMessage[]> {
  const answers: ServerMessage[] = [];
  while (answers.length < hugeAnswers) {
    const call = callOf("flood", "huge_line", { bytes: floodBytes });
    answers.push(await server.request("tools/call", call, 120_000));
    const next = await server.request(
      "tools/call",
      callOf("flood", "echo", { text: "still there" }),
      120_000,
    );
    if (textOf(next) !== "still there") throw new Error(`after 100 MB it said ${textOf(next)}`);
  }
  return answers;
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

if (import.meta.main) await runAlone(checkUpstreamStart, "runs", 10);
