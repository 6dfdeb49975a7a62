/**
 * What the hub costs and saves, measured in turns with `HUB=off`: memory of each client and of all, the time to a whole list, a
 * relayed call; and a start without MCP servers beside an executable from before the hub.
 *
 *     bun run verify --only hub-figures [--base-binary FILE] [--hub on|off|auto]
 *
 * Linux only. Ratios and differences are medians over the rounds, with the quarter of rounds below and above.
 */
import { productBinary } from "../../../test/e2e/harness/binary.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { copyOf } from "../../bench/binaries.ts";
import type { Connection } from "../../bench/client/connection.ts";
import type { Outcome } from "../outcome.ts";
import { messageOf, type HubMode, type Part } from "./hub-clients.ts";
import { HubHome, testServers } from "./hub-home.ts";
import { processesOf } from "./hub-traces.ts";
import { memoryOfClients, memoryWithoutServers } from "./memory.ts";
import { callTimes, connect, toolCount, untilListed } from "./timed-client.ts";
import {
  differenceOf,
  inTurns,
  medianOf,
  ratioOf,
  shownDifference,
  shownRatio,
  type Turns,
} from "./turns.ts";

const serverCount = 5;
const toolsCount = serverCount * 4;
const clientCount = 10;
const privateMbMax = 1;
const listRatioMax = 1;
/** So much of a list's time is the clock's and the scheduler's. */
const listNoticedMs = 1;
const callRatioMax = 1.15;
const callMsMax = 0.15;
const startRatioMax = 1.03;
const callsOfRound = 500;
const warmUpCalls = 3_000;
const memoryShare = 0.34;
const startTimes = 3;

interface FigureOptions {
  readonly rounds: number;
  readonly mode: HubMode;
  /** An executable from before the hub. */
  readonly baseBinary: string | undefined;
}

export async function checkHubFigures(options: FigureOptions): Promise<Outcome> {
  const parts: Part[] = [];
  const run = async (name: string, one: () => Promise<Omit<Part, "name">>): Promise<void> => {
    const part = await one().catch((error: unknown) => ({
      figure: "",
      faults: [messageOf(error)],
    }));
    parts.push({ name, ...part });
    console.log(
      `hub-figures: ${name}: ${part.figure}${part.faults.map((fault) => ` FAULT ${fault}`).join("")}`,
    );
  };
  await run("a relayed call", () => relayedCall(options));
  await run("whole list, a hub is there", () => firstList(options, true));
  await run("whole list, the hub is started too", () => firstList(options, false));
  await run("start without MCP servers", () => bareStart(options));
  await run("memory", () => memory(options));
  const faults = parts.flatMap((part) => part.faults.map((fault) => `${part.name}: ${fault}`));
  return {
    name: "hub: figures",
    passed: faults.length === 0 && options.rounds > 0,
    figures: parts.map(({ name, figure }) => `${name}: ${figure}`).join("; "),
    faults,
    details: parts.map(({ name, figure, faults: own }) => [
      name,
      own.length === 0 ? "pass" : "FAIL",
      figure,
    ]),
  };
}

type Found = Omit<Part, "name">;

/** One after the other, by a client that has a server of its own and by one of the hub. */
async function relayedCall({ rounds, mode }: FigureOptions): Promise<Found> {
  using off = new HubHome(testServers(1));
  using on = new HubHome(testServers(1));
  using before = connect(off, { mode: "off" });
  using now = connect(on, { mode, idleS: 0 });
  const call = { name: "mcp__s1__read", args: {} };
  for (const connection of [before, now]) {
    connection.initialize();
    await untilListed(connection, 4);
    callTimes(connection, call, warmUpCalls);
  }
  const p50 = (connection: Connection) => (): Promise<number> =>
    Promise.resolve(medianOf(callTimes(connection, call, callsOfRound)));
  const turns = await inTurns(rounds, p50(before), p50(now));
  await untilGone(on, now);
  const isMissed = ratioOf(turns).median > callRatioMax && differenceOf(turns).median > callMsMax;
  return {
    figure: `p50 ${medianOf(turns.before).toFixed(3)} ms without a hub, ${medianOf(turns.now).toFixed(3)} ms with it: ${shownRatio(turns)}, ${shownDifference(turns, "ms")} (at most ${callRatioMax} × or +${callMsMax} ms; ${rounds} × ${callsOfRound} calls)`,
    faults: isMissed ? ["too slow"] : [],
  };
}

/** From the start of the process to a list with every tool, all of them known from an earlier start. */
async function firstList({ rounds, mode }: FigureOptions, isThere: boolean): Promise<Found> {
  using off = new HubHome(testServers(serverCount));
  using on = new HubHome(testServers(serverCount));
  await fillCache(off, "off");
  await fillCache(on, mode);
  // It keeps the hub.
  using holder = isThere ? connect(on, { mode, idleS: 0 }) : undefined;
  holder?.initialize();
  if (holder !== undefined) await untilListed(holder, toolsCount);
  const one = async (home: HubHome, how: HubMode): Promise<number> => {
    using connection = connect(home, { mode: how, idleS: 0 });
    connection.initialize();
    const first = toolCount(connection.call("tools/list"));
    const ms = connection.lastReadAtMs - connection.spawnedAtMs;
    if (first < toolsCount) throw new Error(`HUB=${how}: the first list has ${first} tools`);
    // Its servers start meanwhile: not beside the next one.
    callTimes(connection, { name: "mcp__s1__read", args: {} }, 1);
    if (home === off || !isThere) await untilGone(home, connection);
    return ms;
  };
  const turns = await inTurns(
    rounds * startTimes,
    () => one(off, "off"),
    () => one(on, mode),
  );
  if (holder !== undefined) await untilGone(on, holder);
  return listFigure(turns);
}

function listFigure(turns: Turns): Found {
  const isMissed =
    ratioOf(turns).median > listRatioMax && differenceOf(turns).median > listNoticedMs;
  return {
    figure: `${medianOf(turns.before).toFixed(1)} ms without, ${medianOf(turns.now).toFixed(1)} ms with: ${shownRatio(turns)}, ${shownDifference(turns, "ms")} (at most ${listRatioMax} × or +${listNoticedMs} ms; ${turns.now.length} starts)`,
    faults: isMissed ? ["slower than without a hub"] : [],
  };
}

async function fillCache(home: HubHome, mode: HubMode): Promise<void> {
  using connection = connect(home, { mode, idleS: 0 });
  connection.initialize();
  await untilListed(connection, toolsCount);
  await Bun.sleep(500);
  await untilGone(home, connection);
}

/** Ends a client, and waits for its hub and servers. */
async function untilGone(home: HubHome, connection: Connection): Promise<void> {
  // It kills all that the client has started: a hub leaves the file of its socket then.
  connection.close();
  await eventually("the end of all", () => processesOf(home.path).length === 0, 10_000);
}

/** Nobody pays who has no server. */
async function bareStart({ rounds, mode, baseBinary }: FigureOptions): Promise<Found> {
  if (baseBinary === undefined) return { figure: "not measured: no --base-binary", faults: [] };
  using folder = new TempFolder();
  const base = copyOf(baseBinary, folder.path, "before");
  const product = copyOf(productBinary, folder.path, "now");
  const one = async (launch: Parameters<typeof connect>[1]): Promise<number> => {
    using home = new HubHome(() => ({}));
    using connection = connect(home, launch);
    connection.initialize();
    connection.call("tools/list");
    return connection.lastReadAtMs - connection.spawnedAtMs;
  };
  const turns = await inTurns(
    rounds * startTimes * 2,
    () => one({ binary: base }),
    () => one({ binary: product, mode }),
  );
  const isMissed = ratioOf(turns).median > startRatioMax;
  return {
    figure: `${medianOf(turns.before).toFixed(2)} ms before, ${medianOf(turns.now).toFixed(2)} ms now: ${shownRatio(turns)}, ${shownDifference(turns, "ms")} (at most ${startRatioMax} ×; ${turns.now.length} starts)`,
    faults: isMissed ? ["slower than before the hub"] : [],
  };
}

/** Each client beside one without servers, and all of them with everything that they started. */
async function memory({ rounds, mode }: FigureOptions): Promise<Found> {
  const own = { bare: [] as number[], client: [] as number[] };
  const all = { off: [] as number[], on: [] as number[] };
  let processes = { off: 0, on: 0 };
  for (let round = 0; round < Math.max(3, rounds * memoryShare); round++) {
    own.bare.push(await memoryWithoutServers(mode));
    const on = await memoryOfClients(mode, clientCount, serverCount);
    const off = await memoryOfClients("off", clientCount, serverCount);
    own.client.push(medianOf(on.furtherMb));
    all.on.push(on.wholeMb);
    all.off.push(off.wholeMb);
    processes = { off: off.processes, on: on.processes };
  }
  const turns = { before: own.bare, now: own.client };
  const whole = { before: all.off, now: all.on };
  const isMissed = differenceOf(turns).median > privateMbMax;
  return {
    figure: `private memory of a further client ${medianOf(own.client).toFixed(1)} MB, of a server without MCP servers ${medianOf(own.bare).toFixed(1)} MB: ${shownDifference(turns, "MB")}, at most +${privateMbMax} MB; ${clientCount} clients and ${serverCount} servers, proportional: ${medianOf(all.off).toFixed(0)} MB in ${processes.off} processes without a hub, ${medianOf(all.on).toFixed(0)} MB in ${processes.on} with it: ${shownRatio(whole)}`,
    faults: isMissed ? ["a further client takes too much"] : [],
  };
}
