/**
 * How many processes many clients have: of one workspace, of five, with servers written for this and with real ones, and what
 * is left of them afterwards.
 *
 *     bun run verify --only hub-processes [--hub on|off|auto]
 *
 * Linux only: processes are found in /proc.
 */
import type { Server } from "../../../test/e2e/harness/server.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../../test/e2e/harness/messages.ts";
import type { Outcome } from "../outcome.ts";
import { median } from "../upstream-figures.ts";
import {
  endAll,
  type HubMode,
  listedTools,
  messageOf,
  type Part,
  startClient,
} from "./hub-clients.ts";
import { type Entries, HubHome, listedNames, nodeServers, testServers } from "./hub-home.ts";
import { hubsOf, processesOf } from "./hub-traces.ts";
import { startAndStop } from "./start-stop.ts";
import { startsIn, type UpstreamStart } from "./upstream-files.ts";

const clientCount = 10;
const serverCount = 5;
const workspaceCount = 5;
/** Real servers take their time. */
const nodeShare = 0.25;
const workspaceShare = 0.25;
const stopRounds = 5;

/** @param runs with ten clients; the other parts have shares of it, and five times as many rounds of starts and ends */
export async function checkHubProcesses(runs: number, mode: HubMode): Promise<Outcome> {
  const share = (part: number): number => Math.max(1, Math.ceil(runs * part));
  const shared = { isolation: "shared" };
  const parts = [
    await repeat("ten clients at once", runs, () => tenClients(mode)),
    await repeat("ten clients, real servers", share(nodeShare), () => tenWithNode(mode)),
    await repeat("five workspaces, shared", share(workspaceShare), () =>
      workspaces(mode, shared, serverCount),
    ),
    await repeat("five workspaces", share(workspaceShare), () =>
      workspaces(mode, {}, serverCount * workspaceCount),
    ),
    await startAndStop(runs * stopRounds, mode),
  ];
  const faults = parts.flatMap((part) => part.faults.map((fault) => `${part.name}: ${fault}`));
  return {
    name: "hub: processes",
    passed: faults.length === 0 && runs > 0,
    figures: parts.map(({ name, figure }) => `${name}: ${figure}`).join("; "),
    faults,
    details: parts.map(({ name, figure, faults: own }) => [
      name,
      own.length === 0 ? "pass" : "FAIL",
      figure,
    ]),
  };
}

/** Milliseconds of the first lists, and other figures. */
interface Run {
  readonly firstMs: readonly number[];
  readonly figure: string;
}

async function repeat(name: string, runs: number, one: () => Promise<Run>): Promise<Part> {
  const faults: string[] = [];
  const times: number[] = [];
  let figure = "";
  for (let run = 1; run <= runs; run++) {
    try {
      const done = await one();
      times.push(...done.firstMs);
      figure = done.figure;
    } catch (error) {
      faults.push(`run ${run}: ${messageOf(error)}`);
    }
    console.log(`hub-processes: ${name}: ${run - faults.length} of ${run}`);
  }
  const shown =
    times.length === 0
      ? ""
      : `; first list ${median(times).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`;
  return { name, figure: `${runs - faults.length} of ${runs} runs: ${figure}${shown}`, faults };
}

interface Listed {
  readonly firstMs: number;
  /** Tools of the first list. */
  readonly first: number;
  readonly lists: number;
}

/** Lists until everything is there, again when the client is notified of a change. */
async function listUntilWhole(client: Server, whole: readonly string[] | number): Promise<Listed> {
  const isWhole = (names: readonly string[]): boolean =>
    typeof whole === "number" ? names.length >= whole : names.join() === whole.join();
  await client.initialize("2025-11-25", "claude-code");
  let changes = 0;
  client.onMessage(({ method }) => {
    if (method === "notifications/tools/list_changed") changes += 1;
  });
  const at = performance.now();
  let names = await listedTools(client);
  const [firstMs, first] = [performance.now() - at, names.length];
  let lists = 1;
  for (let seen = 0; !isWhole(names); lists++) {
    await eventually("a change of the list", () => changes > seen);
    seen = changes;
    names = await listedTools(client);
  }
  return { firstMs, first, lists };
}

async function startMany(
  home: HubHome,
  mode: HubMode,
  folders: readonly string[],
): Promise<Server[]> {
  return folders.map((workspace) => startClient(home, { mode, workspace, idleS: 0 }));
}

async function tenClients(mode: HubMode): Promise<Run> {
  using home = new HubHome(testServers(serverCount));
  const clients = await startMany(home, mode, folders(home, clientCount, true));
  try {
    const names = listedNames(serverCount);
    const listed = await Promise.all(clients.map((client) => listUntilWhole(client, names)));
    const late = listed.filter(({ lists }) => lists > 1).length;
    await askAll(clients);
    assertStarts(home, serverCount);
    await assertHub(home, clients, mode);
    return { firstMs: listed.map(({ firstMs }) => firstMs), figure: processFigure(home, late) };
  } finally {
    await endAll(clients);
  }
}

/** Every client asks every server; each server answers from one process. */
async function askAll(clients: readonly Server[]): Promise<ReadonlyMap<string, Set<number>>> {
  const pids = new Map<string, Set<number>>();
  const names = Array.from({ length: serverCount }, (_, at) => `s${at + 1}`);
  await Promise.all(
    clients.flatMap((client) =>
      names.map(async (name) => {
        const reply = await client.call(`mcp__${name}__about`);
        const { pid } = JSON.parse(textOf(reply)) as UpstreamStart;
        pids.set(name, (pids.get(name) ?? new Set()).add(pid));
      }),
    ),
  );
  return pids;
}

function assertStarts(home: HubHome, wanted: number): void {
  const { length } = startsIn(home.notes);
  if (length !== wanted) throw new Error(`${length} upstream processes, not ${wanted}`);
}

/** One hub, and nothing else of ours but the clients. */
async function assertHub(home: HubHome, clients: readonly Server[], mode: HubMode): Promise<void> {
  const pids = clients.map(({ pid }) => pid);
  const wanted = mode === "off" ? 0 : 1;
  await eventually(
    "the processes that started the hub have ended",
    () => hubsOf(home.path, pids).length <= wanted,
    5_000,
  ).catch(() => undefined);
  const hubs = hubsOf(home.path, pids);
  if (hubs.length === wanted) return;
  const shown = hubs.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
  throw new Error(`${hubs.length} hubs, not ${wanted}: ${shown.join("; ")}`);
}

function processFigure(home: HubHome, late: number): string {
  const all = processesOf(home.path);
  const own = all.filter(({ isOurs }) => isOurs).length;
  return `${all.length} processes, ${own} of ours; ${late} clients needed another list`;
}

/** Complete by the second list, and as many processes of Node as there are servers. */
async function tenWithNode(mode: HubMode): Promise<Run> {
  using home = new HubHome(nodeServers);
  const clients = await startMany(home, mode, folders(home, clientCount, true));
  try {
    // How many tools there are is known when a client has seen them all, once.
    const whole = await wholeCount();
    const listed = await Promise.all(clients.map((client) => listUntilWhole(client, whole)));
    const most = Math.max(...listed.map(({ lists }) => lists));
    if (most > 2) throw new Error(`a client needed ${most} lists`);
    await Promise.all(clients.map(callEach));
    const node = processesOf(home.path).filter(({ command }) =>
      /^(\S*\/)?node /.test(command),
    ).length;
    if (node !== Object.keys(nodeServers(home)).length)
      throw new Error(`${node} processes of Node`);
    await assertHub(home, clients, mode);
    const late = listed.filter(({ lists }) => lists > 1).length;
    return { firstMs: listed.map(({ firstMs }) => firstMs), figure: processFigure(home, late) };
  } finally {
    await endAll(clients);
  }
}

/** A call of each real server. */
async function callEach(client: Server): Promise<void> {
  const calls = {
    everything__echo: { message: "hi" },
    filesystem__list_allowed_directories: {},
    memory__read_graph: {},
    other__list_allowed_directories: {},
    thinking__sequentialthinking: {
      thought: "one",
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    },
  };
  for (const [name, args] of Object.entries(calls)) {
    const reply = await client.call(`mcp__${name}`, args);
    if (reply.error === undefined && !isError(reply)) continue;
    throw new Error(`${name}: ${reply.error?.message ?? textOf(reply)}`);
  }
}

let knownCount: number | undefined;

/** Tools of `nodeServers`, as one client without a hub lists them in the end. */
async function wholeCount(): Promise<number> {
  if (knownCount !== undefined) return knownCount;
  using home = new HubHome(nodeServers);
  await using client = startClient(home, { mode: "off" });
  await client.initialize("2025-11-25", "claude-code");
  const names = Object.keys(nodeServers(home));
  knownCount = await eventually("all servers' tools", async () => {
    const listed = await listedTools(client);
    const areAll = names.every((name) => listed.some((tool) => tool.startsWith(`mcp__${name}__`)));
    return areAll && listed.length;
  });
  return knownCount;
}

/** One client in each of five workspaces. */
async function workspaces(mode: HubMode, more: Entries[string], wanted: number): Promise<Run> {
  using home = new HubHome(testServers(serverCount, more));
  const places = folders(home, workspaceCount, false);
  const clients = await startMany(home, mode, places);
  try {
    const names = listedNames(serverCount);
    const listed = await Promise.all(clients.map((client) => listUntilWhole(client, names)));
    await askAll(clients);
    assertStarts(home, wanted);
    await assertHub(home, clients, mode);
    const late = listed.filter(({ lists }) => lists > 1).length;
    return { firstMs: listed.map(({ firstMs }) => firstMs), figure: processFigure(home, late) };
  } finally {
    await endAll(clients);
  }
}

/** The folders in which clients start. */
function folders(home: HubHome, count: number, isOne: boolean): readonly string[] {
  return Array.from({ length: count }, (_, at) =>
    isOne ? home.workspace : home.folder.folder(`workspace${at + 1}`),
  );
}
