/**
 * Kills and stops the hub in the middle of a thousand calls of five clients, again and again: all clients answer again soon, each
 * request has one reply, no call that writes runs twice, and no list gets shorter.
 *
 *     bun run verify --only hub-kills [--runs 100]
 *
 * Linux only.
 */
import type { Server } from "../../../test/e2e/harness/server.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { type Outcome, seconds } from "../outcome.ts";
import { median } from "../upstream-figures.ts";
import { endAll, listedTools, messageOf, startClient } from "./hub-clients.ts";
import { HubHome, listedNames, testServers } from "./hub-home.ts";
import { hubPidOf, hubsOf, processesOf } from "./hub-traces.ts";
import { Calls } from "./kill-calls.ts";
import { Listing } from "./kill-listing.ts";
import { runsIn } from "./upstream-files.ts";

const clientCount = 5;
const serverCount = 3;
const callsPerRound = 1_000;
const backMsMax = 2_000;
/** A hub that was stopped and has been replaced. */
const stoppedMsMax = 5_000;
/** Rounds for each home: what one round leaves behind disturbs the next ones. */
const roundsPerHome = 10;

type Fault = "SIGKILL" | "SIGSTOP";

/** What all rounds showed. */
interface Found {
  readonly faults: string[];
  readonly backMs: Record<Fault, number[]>;
  readonly counts: {
    rounds: number;
    calls: number;
    unsure: number;
    ranOfUnsure: number;
    repeated: number;
  };
}

/** @param kills rounds with SIGKILL; a fifth as many have SIGSTOP */
export async function checkHubKills(kills: number): Promise<Outcome> {
  const found: Found = {
    faults: [],
    backMs: { SIGKILL: [], SIGSTOP: [] },
    counts: { rounds: 0, calls: 0, unsure: 0, ranOfUnsure: 0, repeated: 0 },
  };
  await manyRounds("SIGKILL", kills, found);
  await manyRounds("SIGSTOP", Math.ceil(kills / 5), found);
  const { rounds, calls, unsure, ranOfUnsure, repeated } = found.counts;
  const figures =
    `${timesOf("SIGKILL", found)}; ${timesOf("SIGSTOP", found)}; ${calls} calls of ${clientCount} clients in ${rounds} rounds, each answered once; ` +
    `${unsure} that write were in flight at the hub's end, ${ranOfUnsure} of these had run, none twice; ${repeated} that read were repeated`;
  return {
    name: "hub: kills",
    passed: found.faults.length === 0 && kills > 0,
    figures,
    faults: found.faults.slice(0, 40),
  };
}

function timesOf(fault: Fault, { backMs }: Found): string {
  const times = backMs[fault];
  if (times.length === 0) return `${fault}: none`;
  return `${fault}: ${times.length} times until the last client answered, median ${seconds(median(times))}, worst ${seconds(Math.max(...times))}, at most ${seconds(backMsMax)}`;
}

async function manyRounds(fault: Fault, rounds: number, found: Found): Promise<void> {
  for (let done = 0; done < rounds; done += roundsPerHome) {
    await roundsInOneHome(fault, done, Math.min(roundsPerHome, rounds - done), found);
  }
}

async function roundsInOneHome(
  fault: Fault,
  done: number,
  rounds: number,
  found: Found,
): Promise<void> {
  using home = new HubHome(testServers(serverCount));
  const clients = Array.from({ length: clientCount }, () => startClient(home, { idleS: 0 }));
  try {
    await Promise.all(clients.map((client) => client.initialize("2025-11-25", "claude-code")));
    const names = listedNames(serverCount).join();
    const isWhole = async (client: Server): Promise<boolean> =>
      (await listedTools(client)).join() === names;
    for (const client of clients) await eventually("all tools", () => isWhole(client));
    for (let round = done + 1; round <= done + rounds; round++) {
      try {
        await oneRound({ fault, round, home, clients, found });
      } catch (error) {
        found.faults.push(`${fault} ${round}: ${messageOf(error)}`);
      }
      found.counts.rounds += 1;
      console.log(`hub-kills: ${fault} ${round}, ${found.faults.length} faults`);
    }
  } finally {
    // It checks that no reply came twice.
    await endAll(clients).catch((error: unknown) => found.faults.push(messageOf(error)));
  }
}

interface Round {
  readonly fault: Fault;
  readonly round: number;
  readonly home: HubHome;
  readonly clients: readonly Server[];
  readonly found: Found;
}

async function oneRound({ fault, round, home, clients, found }: Round): Promise<void> {
  const hub = await eventually("a hub", () => hubPidOf(home.path), 10_000);
  const label = `${fault}${round}`;
  const calls = new Calls(clients, { label, count: callsPerRound, serverCount });
  const listing = new Listing(clients, listedNames(serverCount).length);
  // Not always at the same moment, and never after the last call.
  await calls.untilAnswered(callsPerRound * (0.05 + Math.random() * 0.75));
  process.kill(hub, fault);
  const backMs = await calls.untilAllBack();
  found.backMs[fault].push(backMs);
  const faults: string[] = [];
  if (backMs > backMsMax) faults.push(`all clients answered again after ${seconds(backMs)}`);
  faults.push(...(await calls.whole()), ...(await listing.stop()));
  if (fault === "SIGSTOP") faults.push(...(await endOfStopped(hub)));
  faults.push(...(await oneHub(home, clients, hub)));
  // Nothing that waited in a process that had been stopped may run after all.
  const judged = calls.judge(runsIn(home.notes));
  faults.push(...judged.faults);
  found.counts.calls += callsPerRound;
  found.counts.unsure += judged.unsure;
  found.counts.ranOfUnsure += judged.ranOfUnsure;
  found.counts.repeated += judged.repeated;
  found.faults.push(...faults.map((text) => `${fault} ${round}: ${text}`));
}

/** A hub that was stopped is ended by its successor, or ends itself when it goes on. */
async function endOfStopped(hub: number): Promise<readonly string[]> {
  const isThere = (): boolean => {
    try {
      process.kill(hub, "SIGCONT");
      return true;
    } catch {
      return false;
    }
  };
  const at = performance.now();
  while (isThere()) {
    if (performance.now() - at > stoppedMsMax) return [`the hub that was stopped still runs`];
    await Bun.sleep(20);
  }
  return [];
}

/** One new hub, and one process of each server. */
async function oneHub(
  home: HubHome,
  clients: readonly Server[],
  before: number,
): Promise<readonly string[]> {
  const pids = clients.map(({ pid }) => pid);
  const look = (): string => {
    const hubs = hubsOf(home.path, pids).map(({ pid }) => pid);
    const servers = processesOf(home.path).filter(({ command }) => command.includes("upstream.ts"));
    const isRight = hubs.length === 1 && !hubs.includes(before) && servers.length === serverCount;
    return isRight ? "" : `${hubs.length} hubs and ${servers.length} upstream servers afterwards`;
  };
  const at = performance.now();
  let said = look();
  while (said !== "" && performance.now() - at < stoppedMsMax) {
    await Bun.sleep(50);
    said = look();
  }
  return said === "" ? [] : [said];
}
