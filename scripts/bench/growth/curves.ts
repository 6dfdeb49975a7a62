/** What grows, up to which size, and what that costs. */
import path from "node:path";

import type { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { discoverOverHttp } from "../budget/discover.ts";
import type { Side } from "../budget/side.ts";
import type { Connection } from "../client/connection.ts";
import type { ToolCall } from "../client/message.ts";
import { runPipelined } from "../client/pipelined.ts";
import { ownPrivateMb } from "../client/process-info.ts";
import { beginSessions } from "../http/idle-sessions.ts";
import { quantile } from "../stats.ts";
import type { Point } from "./slope.ts";

interface Curve {
  readonly title: string;
  /** The call whose latency is drawn. */
  readonly call: string;
  readonly sizes: readonly number[];
  /** The most private memory of any point. */
  readonly mbMax: number;
  readonly measure: (side: Side, size: number) => Promise<Point>;
}

const calls = 30;
const warmUp = 5;
/** Before memory is looked at, for collectors to run. */
const settleMs = 2000;
const window = 64;
/** Fewer than may run at a time. */
const commandWindow = 8;
const callsAtOnce = 5000;
/** So much a call may take that prints a gigabyte. */
const callMsMax = 120_000;

const cheap: ToolCall = { name: "ListBgTasks", args: {} };
const bash = (command: string): ToolCall => ({ name: "Bash", args: { command } });
const line = "0123456789abcdef".repeat(4).slice(0, -1);
const manyTools = path.join(import.meta.dir, "../floors/many-tools.ts");

const curves = {
  tasks: {
    title: "background tasks that have ended",
    call: "`ListBgTasks`",
    sizes: [1, 10, 100, 1000, 10_000],
    mbMax: 150,
    measure: async (side, size) => {
      using server = startListed(side);
      repeat(server, { name: "BackgroundBash", args: { command: ":" } }, size, commandWindow);
      return await pointOf(server, size, cheap);
    },
  },
  tools: {
    title: "tools of an MCP server",
    call: "a relayed call",
    sizes: [1, 10, 100, 1000, 4000],
    mbMax: 150,
    measure: async (side, size) => {
      const entry = { command: process.execPath, args: [manyTools, String(size)], start: "eager" };
      const config = { mcpServers: { many: entry } };
      using server = startListed(side, "--config", write(side.home, "many.json", config));
      return await pointOf(server, size, { name: "mcp__many__tool_0", args: {} });
    },
  },
  rules: {
    title: "policy rules",
    call: "Bash `echo hi`",
    sizes: [1, 10, 100, 1000],
    mbMax: 60,
    measure: async (side, size) => {
      const rules = Array.from({ length: size }, (_, number) => {
        return { tool: "Bash", match: `program-${number} *`, action: "deny" };
      });
      write(side.home, ".scorpiox/policy.jsonc", { rules });
      using server = startListed(side);
      return await pointOf(server, size, bash("echo hi"));
    },
  },
  skills: {
    title: "skills, each a watched folder",
    call: "`ListBgTasks`",
    sizes: [1, 10, 100, 1000],
    mbMax: 80,
    measure: async (side, size) => {
      for (let number = 0; number < size; number++) {
        const text = `---\nname: skill-${number}\ndescription: Skill ${number}\n---\n\nText.\n`;
        side.home.write(`.scorpiox/skills/skill-${number}/SKILL.md`, text);
      }
      using server = startListed(side);
      return await pointOf(server, size, cheap);
    },
  },
  output: {
    title: "bytes of output of one command",
    call: "that command",
    sizes: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    mbMax: 120,
    measure: async (side, size) => {
      using server = startListed(side);
      const call = bash(`yes ${line} | head -c ${size}`);
      const count = size < 1e8 ? 5 : 1;
      const times = Array.from({ length: count }, () => timeOf(server, call));
      await Bun.sleep(settleMs);
      return { size, ms: quantile(times, 0.5), mb: ownPrivateMb(server.pid) };
    },
  },
  sessions: {
    title: "HTTP sessions",
    call: "`server/discover`",
    sizes: [1, 10, 100, 1000, 10_000],
    mbMax: 120,
    measure: async (side, size) => {
      using server = side.startHttp();
      await beginSessions(new URL(server.url), size);
      await Bun.sleep(settleMs);
      const ms = await discoverOverHttp(server.url, calls + warmUp);
      return { size, ms, mb: ownPrivateMb(server.pid) };
    },
  },
  calls: {
    title: "calls that a server has answered",
    call: "`ListBgTasks`",
    sizes: [1, 10, 100, 1000, 10_000, 100_000, 1_000_000],
    mbMax: 100,
    measure: async (side, size) => {
      using server = startListed(side);
      repeat(server, cheap, size);
      return await pointOf(server, size, cheap);
    },
  },
} as const satisfies Record<string, Curve>;

export type CurveId = keyof typeof curves;

export const curveIds = Object.keys(curves) as readonly CurveId[];

/** The curve with its optional parts visible. */
export function curveOf(id: CurveId): Curve {
  return curves[id];
}

interface Started extends Disposable {
  readonly connection: Connection;
  readonly startMs: number;
  readonly pid: number;
}

function startListed(side: Side, ...args: string[]): Started {
  const connection = side.start(...args);
  connection.initialize();
  connection.call("tools/list");
  const startMs = connection.lastReadAtMs - connection.spawnedAtMs;
  return {
    connection,
    startMs,
    pid: connection.pid,
    [Symbol.dispose]: () => void connection.close(),
  };
}

async function pointOf(started: Started, size: number, call: ToolCall): Promise<Point> {
  const { startMs, pid } = started;
  const times = Array.from({ length: calls + warmUp }, () => timeOf(started, call));
  await Bun.sleep(settleMs);
  return { size, ms: quantile(times.slice(warmUp), 0.5), mb: ownPrivateMb(pid), startMs };
}

function timeOf({ connection }: Pick<Started, "connection">, call: ToolCall): number {
  return connection.time(connection.toolRequest(call), callMsMax).ms;
}

function repeat({ connection }: Started, call: ToolCall, count: number, inFlight = window): void {
  for (let left = count; left > 0; left -= callsAtOnce) {
    runPipelined(connection, Math.min(left, callsAtOnce), inFlight, () =>
      connection.toolRequest(call),
    );
  }
}

function write(home: TempFolder, name: string, value: object): string {
  return home.write(name, JSON.stringify(value));
}
