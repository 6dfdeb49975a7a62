import path from "node:path";

import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { root } from "../../../test/e2e/harness/binary.ts";
import { Connection } from "../client/connection.ts";
import { nowMs } from "../client/clock.ts";
import { countThreads, ownPrivateMb, processTree } from "../client/process-info.ts";
import { ownResidentMb } from "../client/process-info.ts";

/** How a start of the program is measured. */
export interface Case {
  readonly label: string;
  readonly binary: string;
  /** Servers of `~/.scorpiox/mcp_servers.json`. */
  readonly servers?: Readonly<Record<string, object>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Called before it is measured. */
  readonly tool?: string;
  /** A start before, which leaves what the servers offer in the cache. */
  readonly isKnown?: boolean;
}

/** One start. MB of 1024 × 1024 bytes, of our own process alone. */
export interface Figures {
  readonly initializeMs: number;
  readonly toolsListMs: number;
  readonly residentMb: number;
  readonly privateMb: number;
  readonly workers: number;
  /** Ours, guards and servers. */
  readonly processes: number;
}

/** A server over a pipe. */
export const scripted = {
  command: process.execPath,
  args: [path.join(root, "test/fixtures/upstream/main.ts"), '{"tools":["echo"]}'],
};

/** Time for what is done after `tools/list`, and for collectors. */
const settleMs = 1500;
const appearMsMax = 10_000;

export async function measureStart(what: Case): Promise<Figures> {
  using home = new TempFolder();
  if (what.servers !== undefined) {
    home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: what.servers }));
  }
  if (what.isKnown === true) {
    using first = start(what, home.path);
    first.initialize();
    await untilListed(first);
  }
  using connection = start(what, home.path);
  const initializeMs = connection.initialize();
  connection.call("tools/list");
  const toolsListMs = connection.lastReadAtMs - connection.spawnedAtMs;
  if (what.tool !== undefined) {
    await untilListed(connection);
    connection.time(connection.toolRequest({ name: what.tool, args: {} }));
  }
  await Bun.sleep(settleMs);
  const { pid } = connection;
  return {
    initializeMs,
    toolsListMs,
    residentMb: ownResidentMb(pid),
    privateMb: ownPrivateMb(pid),
    workers: countThreads(pid, /^worker/i),
    processes: processTree(pid).length,
  };
}

function start({ binary, env = {} }: Case, home: string): Connection {
  const { PATH = "/usr/bin:/bin" } = process.env;
  // The older executable knows the login shell, which is asked for its PATH, by nothing else.
  const base = { PATH, HOME: home, LANG: "C.UTF-8", USER: "user", SHELL: "/bin/sh" };
  const launch = { command: [binary], cwd: home, stderrFile: "/dev/null" };
  return new Connection({ ...launch, env: { ...base, ...env } });
}

async function untilListed(connection: Connection): Promise<void> {
  const deadlineMs = nowMs() + appearMsMax;
  while (nowMs() < deadlineMs) {
    const { body } = connection.call("tools/list");
    if (JSON.stringify(body).includes("mcp__")) return;
    await Bun.sleep(50);
  }
  throw new Error("the server's tools are not listed");
}
