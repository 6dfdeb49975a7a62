/**
 * What other servers that flood cost: the time of pings and of our own tools meanwhile, and memory.
 *
 *     bun run verify --only upstream-flood
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError } from "../../test/e2e/harness/messages.ts";
import { residentBytes } from "../../test/e2e/harness/processes.ts";
import { Server, type ServerMessage } from "../../test/e2e/harness/server.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import type { Outcome } from "./outcome.ts";

const growthBytesMax = 250_000_000;
const pingMsMax = 50;
const ratioMax = 2;
/** Two times nearly nothing is nothing: below this a slow call is the machine's. */
const callMsMin = 10;
const messagesCount = 100_000;
const toolsCount = 20_000;
const calmMs = 1_000;
const lookMs = 25;

/** What our own tools and pings take, in ms, and the most memory that was seen. */
interface Watch {
  readonly calls: number[];
  readonly pings: number[];
  mostBytes: number;
}

type Seen = Watch & { readonly name: string; readonly calm: Watch };

interface Yard {
  readonly server: Server;
  readonly asker: Asker;
}

type Flood = readonly [name: string, run: (yard: Yard) => Promise<unknown>];

const floods: readonly Flood[] = [
  [`${toolsCount} tools`, addTools],
  ["a line of 100 MB", ({ asker }) => asker.call("mcp__works__huge_line", { bytes: 100_000_000 })],
  ["a result of 10 MB", ({ asker }) => asker.call("mcp__works__big", { chars: 10_000_000 })],
  ...["logs", "list_changed", "garbage", "progress", "replies", "requests"].map((kind): Flood => {
    const run = ({ asker }: Yard): Promise<unknown> =>
      asker.call("mcp__works__flood", { kind, count: messagesCount });
    return [`${messagesCount} ${kind}`, run];
  }),
  [
    "questions without end, answers unread",
    ({ asker }) => asker.call("mcp__deaf__flood", { kind: "unread" }),
  ],
];

/** One flood after the other, in one process, each compared with the second before it. */
export async function checkUpstreamFlood(): Promise<Outcome> {
  using home = upstreamHome({ works: [{}], deaf: [{}, { timeout_ms: 5_000 }] });
  await using server = new Server({ home });
  await server.initialize();
  await server.request("tools/list");
  const asker = new Asker(server);
  for (const name of ["works", "deaf"]) await asker.isThere(`mcp__${name}__echo`);
  const yard = { server, asker };
  const before = residentBytes(server.pid);
  const seen: Seen[] = [];
  for (const [name, run] of floods) {
    const calm = await watch(yard, () => Bun.sleep(calmMs));
    seen.push({ name, calm, ...(await watch(yard, () => run(yard))) });
  }
  return judge(before, seen);
}

function judge(before: number, seen: readonly Seen[]): Outcome {
  const faults: string[] = [];
  const details = seen.map(({ name, calm, pings, calls, mostBytes }) => {
    const ping = quantile(pings, 0.95);
    const [call, calmCall] = [quantile(calls, 0.5), quantile(calm.calls, 0.5)];
    const growth = mostBytes - before;
    const isSlow = ping > pingMsMax || (call > ratioMax * calmCall && call > callMsMin);
    const isWrong = isSlow || growth > growthBytesMax;
    const [p99, calmP99] = [quantile(calls, 0.99), quantile(calm.calls, 0.99)];
    const figure = `ping p95 ${ping.toFixed(1)} ms, our own tools ${call.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (before: ${calmCall.toFixed(1)} ms, p99 ${calmP99.toFixed(1)} ms), memory +${mb(growth)} MB`;
    if (isWrong) faults.push(`${name}: ${figure}`);
    return [`flood of ${name}`, isWrong ? "FAIL" : "pass", figure] as const;
  });
  const most = Math.max(...seen.map(({ mostBytes }) => mostBytes)) - before;
  const ping = quantile(
    seen.flatMap(({ pings }) => pings),
    0.95,
  );
  return {
    name: "floods of other servers",
    passed: faults.length === 0,
    figures: `${seen.length} floods one after the other: ping p95 ${ping.toFixed(1)} ms, memory +${mb(most)} MB`,
    faults,
    details,
  };
}

/** Asks without looking through all that has come before: there will be thousands of answers. */
class Asker {
  readonly #server: Server;
  readonly #waiting = new Map<unknown, (message: ServerMessage) => void>();

  constructor(server: Server) {
    this.#server = server;
    server.onMessage((message) => {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  async ask(method: string, params?: unknown): Promise<ServerMessage> {
    const { promise, resolve } = Promise.withResolvers<ServerMessage>();
    this.#waiting.set(this.#server.start(method, params), resolve);
    return promise;
  }

  call(name: string, args: object = {}): Promise<ServerMessage> {
    return this.ask("tools/call", { name, arguments: args, _meta: { progressToken: name } });
  }

  async isThere(tool: string): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const message = await this.call(tool, { text: "x" });
      return message.error === undefined && !isError(message);
    };
    await eventually(tool, isThere, 30_000);
  }
}

/** Pings and calls all the while. */
async function watch({ server, asker }: Yard, work: () => Promise<unknown>): Promise<Watch> {
  const seen: Watch = { calls: [], pings: [], mostBytes: residentBytes(server.pid) };
  const state = { isOver: false };
  const timer = setInterval(() => {
    seen.mostBytes = Math.max(seen.mostBytes, residentBytes(server.pid));
  }, lookMs);
  const each = async (times: number[], ask: () => Promise<unknown>): Promise<void> => {
    while (!state.isOver) {
      const at = performance.now();
      await ask();
      times.push(performance.now() - at);
      await Bun.sleep(5);
    }
  };
  const asking = Promise.all([
    each(seen.pings, () => asker.ask("ping")),
    each(seen.calls, () => asker.call("ListBgTasks")),
  ]);
  try {
    await work();
    // What it leaves behind counts too.
    await Bun.sleep(500);
  } finally {
    state.isOver = true;
    clearInterval(timer);
    await asking;
  }
  return seen;
}

/** A server with as many tools, 13 MB of them, is added to the configuration while all else goes on. */
async function addTools({ server, asker }: Yard): Promise<void> {
  const { home } = server;
  home.write("tools.json", JSON.stringify(Array.from({ length: toolsCount }, (_, at) => tool(at))));
  const script = JSON.stringify({ toolsFile: home.at("tools.json") });
  const args = JSON.stringify([join(root, "test/fixtures/upstream/main.ts"), script]);
  const entry = `\n[mcp.servers.many]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
  appendFileSync(home.at(".scorpiox/config.toml"), entry);
  await asker.isThere("mcp__many__tool_0");
}

function tool(index: number): object {
  const arguments_ = Array.from({ length: 6 }, (_, at) => {
    return [`argument_${at}`, { type: "string", description: `Argument ${at} of ${index}` }];
  });
  return {
    name: `tool_${index}`,
    behaviour: "echo",
    description: `Made-up tool ${index}, which is described at some length for whoever chooses one.`,
    inputSchema: { type: "object", properties: Object.fromEntries(arguments_) },
  };
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

function mb(bytes: number): number {
  return Math.round(bytes / 1e6);
}
