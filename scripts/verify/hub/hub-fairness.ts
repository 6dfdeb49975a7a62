/**
 * What one client's flood does to the relayed calls of another (HB10), and to the memory of the hub.
 *
 *     bun run verify --only hub-fairness [--hub on|off|auto]
 *
 * Linux only.
 */
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { residentBytes } from "../../../test/e2e/harness/processes.ts";
import type { Connection } from "../../bench/client/connection.ts";
import { quantile } from "../../bench/stats.ts";
import type { Outcome } from "../outcome.ts";
import { messageOf, type HubMode, type Part } from "./hub-clients.ts";
import { type Flood, type FloodFigures, Flooder } from "./flooder.ts";
import { HubHome, testServers } from "./hub-home.ts";
import { hubPidOf, processesOf } from "./hub-traces.ts";
import { callTimes, connect, untilListed } from "./timed-client.ts";
import { medianOf } from "./turns.ts";

const p99TimesMax = 3;
/** Below this nobody notices the difference; the clock and the scheduler do. */
const noticedMs = 1;
/** Whatever a client does: a hundred megabytes wait for it, and what is being read of them. */
const hubGrowthMbMax = 250;
const callsOfRun = 400;
const gapMs = 3;
const warmUpCalls = 1_000;
const quietCall = { name: "mcp__s1__read", args: {} };

interface Case {
  readonly name: string;
  readonly flood: Flood;
  /** Whether the quiet client's calls have a bound: one of its own server has, one of the flooded server is a figure. */
  readonly isBound: boolean;
}

const many = { perSecond: 1_000, burst: 0, inFlight: 1_000 };
const huge = { tool: "mcp__s2__big", args: { chars: 2_000_000 }, inFlight: 200, isDeaf: true };

const cases: readonly Case[] = [
  {
    name: "1,000 in flight, 10 MB/s in results of 10 kB",
    flood: { tool: "mcp__s2__big", args: { chars: 10_000, ms: 1_000 }, ...many },
    isBound: true,
  },
  {
    name: "10 MB/s in results of 1 MB",
    flood: {
      tool: "mcp__s2__big",
      args: { chars: 1_000_000 },
      perSecond: 10,
      burst: 0,
      inFlight: 10,
    },
    isBound: true,
  },
  {
    name: "a client that does not read, 10 MB/s in results of 2 MB",
    flood: { ...huge, perSecond: 5, burst: 0 },
    isBound: true,
  },
  {
    name: "a client that does not read, 400 MB in results of 2 MB at once",
    flood: { ...huge, perSecond: 0, burst: 200 },
    isBound: false,
  },
  {
    name: "a client process that is stopped, 400 MB in results of 2 MB",
    flood: { ...huge, isStopped: true, perSecond: 0, burst: 200 },
    isBound: false,
  },
  {
    name: "1,000 in flight at the same server",
    flood: { tool: "mcp__s1__big", args: { chars: 10_000, ms: 1_000 }, ...many },
    isBound: false,
  },
];

export async function checkHubFairness(runs: number, mode: HubMode): Promise<Outcome> {
  const parts: Part[] = [];
  for (const one of cases) {
    const part = await measure(one, runs, mode).catch((error: unknown) => ({
      name: one.name,
      figure: "",
      faults: [messageOf(error)],
    }));
    parts.push(part);
    console.log(`hub-fairness: ${part.name}: ${part.figure} ${part.faults.join("; ")}`);
  }
  const faults = parts.flatMap((part) => part.faults.map((fault) => `${part.name}: ${fault}`));
  return {
    name: "hub: fairness",
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

interface Run {
  readonly quietMs: number;
  readonly floodMs: number;
  readonly growthMb: number;
  readonly flood: FloodFigures;
  /** Milliseconds of a call of the flooded server by another client. */
  readonly besideMs: number;
}

async function measure({ name, flood, isBound }: Case, runs: number, mode: HubMode): Promise<Part> {
  const seen: Run[] = [];
  const today: Run[] = [];
  for (let run = 0; run < runs; run++) {
    seen.push(await oneRun(flood, mode));
    // The processors are flooded without a hub as well.
    if (mode !== "off") today.push(await oneRun(flood, "off"));
  }
  const ratio = medianOf(seen.map(({ quietMs, floodMs }) => floodMs / quietMs));
  const growth = Math.max(...seen.map(({ growthMb }) => growthMb));
  const [quietMs, floodMs] = [
    medianOf(seen.map((each) => each.quietMs)),
    medianOf(seen.map((each) => each.floodMs)),
  ];
  const faults: string[] = [];
  if (isBound && ratio > p99TimesMax && floodMs - quietMs > noticedMs) {
    faults.push(`p99 is ${ratio.toFixed(1)} × that of quiet, at most ${p99TimesMax} ×`);
  }
  if (growth > hubGrowthMbMax) faults.push(`the hub grew by ${growth.toFixed(0)} MB`);
  const [first] = seen;
  const failed = seen.reduce((sum, each) => sum + each.flood.failed, 0);
  if (failed > 0)
    faults.push(
      `${failed} calls failed: ${seen.find((each) => each.flood.failure)?.flood.failure}`,
    );
  if (flood.isDeaf !== true && (first?.flood.replies ?? 0) === 0) faults.push("there was no flood");
  const before =
    today.length === 0
      ? ""
      : `, without a hub ${medianOf(today.map((each) => each.floodMs / each.quietMs)).toFixed(2)} ×`;
  const beside = medianOf(seen.map(({ besideMs }) => besideMs));
  return {
    name,
    figure: `p99 ${quietMs.toFixed(2)} ms quiet, ${floodMs.toFixed(2)} ms beside it: ${ratio.toFixed(2)} ×${before}; ${shownFlood(flood, first?.flood)}; hub +${growth.toFixed(0)} MB; a call of the flooded server by another client ${beside.toFixed(1)} ms`,
    faults,
  };
}

/** Of a client that does not read, what it has asked for. */
function shownFlood({ args, isDeaf }: Flood, figures: FloodFigures | undefined): string {
  if (figures === undefined) return "no flood";
  const { calls, replies, ms } = figures;
  const answered = isDeaf === true ? calls : replies;
  const perSecond = (answered * Number(args["chars"]) * 1_000) / 1e6 / ms;
  return `${calls} calls, ${replies} answered, ${perSecond.toFixed(1)} MB/s`;
}

async function oneRun(flood: Flood, mode: HubMode): Promise<Run> {
  using home = new HubHome(testServers(2));
  using quiet = connect(home, { mode, idleS: 0 });
  quiet.initialize();
  await untilListed(quiet, 8);
  callTimes(quiet, quietCall, warmUpCalls);
  const run = await besideFlood(home, quiet, flood, mode);
  // It kills all that the client has started: a hub leaves the file of its socket then.
  quiet.close();
  await eventually("the end of all", () => processesOf(home.path).length === 0, 10_000);
  return run;
}

async function besideFlood(
  home: HubHome,
  quiet: Connection,
  flood: Flood,
  mode: HubMode,
): Promise<Run> {
  await using flooder = new Flooder(home, mode, flood);
  const client = await flooder.ready();
  const watched = (): number => residentBytes(hubPidOf(home.path) ?? client) / 1024 ** 2;
  const quietMs = quantile(await spacedCalls(quiet, () => {}), 0.99);
  const before = watched();
  let most = before;
  const look = (): void => {
    most = Math.max(most, watched());
  };
  flooder.begin();
  // The flood has reached its full strength.
  await Bun.sleep(1_500);
  const floodMs = quantile(await spacedCalls(quiet, look), 0.99);
  const [besideMs = 0] = callTimes(quiet, { name: flood.tool, args: { chars: 10 } }, 1);
  look();
  return { quietMs, floodMs, growthMb: most - before, flood: await flooder.end(), besideMs };
}

async function spacedCalls(connection: Connection, between: () => void): Promise<number[]> {
  const times: number[] = [];
  while (times.length < callsOfRun) {
    times.push(...callTimes(connection, quietCall, 1));
    if (times.length % 50 === 0) between();
    await Bun.sleep(gapMs);
  }
  return times;
}
