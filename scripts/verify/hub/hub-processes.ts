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
import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Outcome } from "../outcome.ts";
import { median } from "../upstream-figures.ts";
import { endAll, type HubMode, listedTools, messageOf, type Part } from "./hub-clients.ts";
import { type Entries, HubHome, listedNames, testServers } from "./hub-home.ts";
import {
  assertHub,
  folders,
  type Listed,
  processFigure,
  type Run,
  startMany,
} from "./many-clients.ts";
import { withNodeServers } from "./node-servers.ts";
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
    await repeat("ten clients, real servers", share(nodeShare), () =>
      withNodeServers(mode, clientCount),
    ),
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

async function tenClients(mode: HubMode): Promise<Run> {
  using home = new HubHome(testServers(serverCount));
  const clients = startMany(home, mode, folders(home, clientCount, true));
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

/** One client in each of five workspaces. */
async function workspaces(mode: HubMode, more: Entries[string], wanted: number): Promise<Run> {
  using home = new HubHome(testServers(serverCount, more));
  const places = folders(home, workspaceCount, false);
  const clients = startMany(home, mode, places);
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
