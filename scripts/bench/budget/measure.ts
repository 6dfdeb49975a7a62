/** One turn of each part: fresh processes of both executables, alternately asked for the same. */
import path from "node:path";

import type { Connection } from "../client/connection.ts";
import type { ToolCall } from "../client/message.ts";
import {
  ownPrivateMb,
  ownProcessorMs,
  peakResidentMb,
  processorMs,
  resetPeakResident,
} from "../client/process-info.ts";
import { untilListed } from "../client/until-listed.ts";
import { quantile } from "../stats.ts";
import { alternate, bothOf } from "./alternate.ts";
import type { Both, Compared } from "./alternate.ts";
import { discoverOverHttp } from "./discover.ts";
import type { FigureId, TurnPart } from "./figures.ts";
import type { Side } from "./side.ts";

/** What one turn found. */
export type Turn = Readonly<Partial<Record<FigureId, Compared>>>;

/** Servers of each executable whose memory is looked at. */
const idleServers = 9;
/** From `tools/list` to the first look, and to the first call. */
const listedMs = 1_500;
const idleMs = 60_000;
const starts = 13;
/** How often it is the other one's turn. */
const blocks = 15;
/** The same for cheap calls: the engine collects garbage once in some thousand of them, and each executable after another number. */
const cheapBlocks = 40;
/** Blocks of the first calls of a process, which its engine has compiled nothing for. */
const firstBlocks = 20;
const outputs = 5;
/** Calls in a block. */
const calls = { first: 25, cheap: 60, bash: 3, pausedBash: 1, background: 2, relay: 30, http: 20 };
/** The first calls load what is needed, and are not counted. */
const warmUp = { cheap: 500, others: 10, relay: 300, http: 100 };
const pauseMs = 20;

const cheap: ToolCall = { name: "ListBgTasks", args: {} };
const bash: ToolCall = { name: "Bash", args: { command: "echo hi" } };
const background: ToolCall = { name: "BackgroundBash", args: { command: ":" } };
const output: ToolCall = {
  name: "Bash",
  args: { command: "yes 0123456789abcdef | head -c 100000000" },
};
const relayed: ToolCall = { name: "mcp__least__echo", args: { message: "hi" } };
const leastServer = path.join(import.meta.dir, "../floors/bare-bun.ts");
const relayConfig = {
  mcpServers: { least: { command: process.execPath, args: [leastServer], start: "eager" } },
};

const measures: Readonly<Record<TurnPart, (sides: Both<Side>) => Promise<Turn>>> = {
  start: measureStarts,
  calls: measureCalls,
  output: measureOutput,
  relay: measureRelay,
  http: measureHttp,
  size: (sides) => alternate(sides, 1, (side) => ({ size: side.sizeMb() })),
};

/**
 * The memory of servers that nobody has called yet, what their first call takes, and their memory when they have been called and
 * then left alone. Each pair is a turn of its own: all of them at once, since it takes as long for one.
 */
export async function measureMemory(sides: Both<Side>): Promise<Turn[]> {
  for (const side of [sides.before, sides.now]) side.renew();
  using stack = new DisposableStack();
  const servers = Array.from({ length: idleServers }, () =>
    bothOf(sides, (side) => stack.use(startListed(side))),
  );
  await Bun.sleep(listedMs);
  const listed: Turn[] = [];
  for (const [turn, pair] of servers.entries()) {
    listed.push(await alternate(pair, 1, measureFirstCall, turn));
  }
  for (const { before, now } of servers) {
    for (const server of [before, now]) {
      callMs(server, cheap, warmUp.cheap);
      callMs(server, bash, warmUp.others);
    }
  }
  await Bun.sleep(idleMs);
  const memoryOf = (server: Connection): { memory: number } => ({
    memory: ownPrivateMb(server.pid),
  });
  const left = await Promise.all(servers.map((pair) => alternate(pair, 1, memoryOf)));
  return left.map((turn, index) => ({ ...listed[index], ...turn }));
}

function measureFirstCall(server: Connection): { listedMemory: number; firstBash: number } {
  const listedMemory = ownPrivateMb(server.pid);
  const [, firstBash] = withProcessor(server, bash, 1);
  return { listedMemory, firstBash };
}

/** A turn of `part`, with the copies that the sides have. */
export function measurePart(part: TurnPart, sides: Both<Side>): Promise<Turn> {
  return measures[part](sides);
}

function measureStarts(sides: Both<Side>): Promise<Turn> {
  return alternate(sides, starts, (side) => {
    using connection = side.start();
    const initialize = connection.initialize();
    connection.call("tools/list");
    const toolsList = connection.lastReadAtMs - connection.spawnedAtMs;
    return { initialize, toolsList, startProcessor: processorMs(connection.pid) };
  });
}

async function measureCalls(sides: Both<Side>): Promise<Turn> {
  using stack = new DisposableStack();
  const servers = bothOf(sides, (side) => stack.use(startListed(side)));
  const firstTurn = await alternate(servers, firstBlocks, (server) => {
    const [ms, processor] = withProcessor(server, cheap, calls.first);
    return { first: ms * 1e3, firstProcessor: processor * 1e3 };
  });
  const cheapTurn = await alternate(servers, cheapBlocks, (server) => {
    const [ms, processor] = withProcessor(server, cheap, calls.cheap);
    return { cheap: ms * 1e3, cheapProcessor: processor * 1e3 };
  });
  await alternate(servers, 1, (server) => ({ ms: callMs(server, bash, warmUp.others) }));
  const bashTurn = await alternate(servers, blocks, (server) => {
    const [ms, processor] = withProcessor(server, bash, calls.bash);
    return { bash: ms, bashProcessor: processor };
  });
  const pausedTurn = await alternate(servers, blocks, (server) => ({
    pausedBash: callMs(server, bash, calls.pausedBash, pauseMs),
  }));
  await alternate(servers, 1, (server) => ({ ms: callMs(server, background, warmUp.others) }));
  const backgroundTurn = await alternate(servers, blocks, (server) => {
    const [ms, processor] = withProcessor(server, background, calls.background);
    return { background: ms, backgroundProcessor: processor };
  });
  return { ...firstTurn, ...cheapTurn, ...bashTurn, ...pausedTurn, ...backgroundTurn };
}

/** Of servers that have done nothing else: what other calls leave has its own figure. */
async function measureOutput(sides: Both<Side>): Promise<Turn> {
  using stack = new DisposableStack();
  const servers = bothOf(sides, (side) => stack.use(startListed(side)));
  await alternate(servers, 1, (server) => ({ ms: callMs(server, bash, warmUp.others) }));
  return await alternate(servers, outputs, (server) => {
    resetPeakResident(server.pid);
    const [ms, processor] = withProcessor(server, output, 1);
    return { output: ms, outputProcessor: processor, outputPeak: peakResidentMb(server.pid) };
  });
}

async function measureRelay(sides: Both<Side>): Promise<Turn> {
  using stack = new DisposableStack();
  const servers = bothOf(sides, (side) => {
    const config = side.home.write("relay.json", JSON.stringify(relayConfig));
    const server = stack.use(side.start("--config", config));
    server.initialize();
    return server;
  });
  for (const server of [servers.before, servers.now]) await untilListed(server, relayed.name);
  await alternate(servers, 1, (server) => ({ ms: callMs(server, relayed, warmUp.relay) }));
  return await alternate(servers, blocks, (server) => {
    const [ms, processor] = withProcessor(server, relayed, calls.relay);
    return { relay: ms * 1e3, relayProcessor: processor * 1e3 };
  });
}

async function measureHttp(sides: Both<Side>): Promise<Turn> {
  using stack = new DisposableStack();
  const urls = bothOf(sides, (side) => stack.use(side.startHttp()).url);
  for (const url of [urls.before, urls.now]) await discoverOverHttp(url, warmUp.http);
  return await alternate(urls, blocks, async (url) => ({
    http: (await discoverOverHttp(url, calls.http)) * 1e3,
  }));
}

function startListed(side: Side): Connection {
  const server = side.start();
  server.initialize();
  server.call("tools/list");
  return server;
}

/** The median. */
function callMs(server: Connection, call: ToolCall, count: number, pause = 0): number {
  const times: number[] = [];
  for (let done = 0; done < count; done++) {
    if (pause > 0) Bun.sleepSync(pause);
    times.push(server.time(server.toolRequest(call)).ms);
  }
  return quantile(times, 0.5);
}

/** The median, and the processor time that one call takes of the server itself, on average. */
function withProcessor(server: Connection, call: ToolCall, count: number): [number, number] {
  const before = ownProcessorMs(server.pid);
  const ms = callMs(server, call, count);
  return [ms, (ownProcessorMs(server.pid) - before) / count];
}
