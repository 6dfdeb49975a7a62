import { readFileSync } from "node:fs";

import type { Connection } from "../../bench/client/connection.ts";
import type { HubMode } from "./hub-clients.ts";
import { HubHome, testServers } from "./hub-home.ts";
import { processesOf } from "./hub-traces.ts";
import { callTimes, connect, untilListed } from "./timed-client.ts";

/** For collectors, and for work that is put off. */
const settleMs = 2_000;

interface ClientsMemory {
  /** Private memory of each client after the first, in MB of 1024 × 1024 bytes. */
  readonly furtherMb: readonly number[];
  /** Proportional memory of all processes: clients, hub and MCP servers. */
  readonly wholeMb: number;
  readonly processes: number;
}

/** Of clients that have listed all tools and called one of each server. */
export async function memoryOfClients(
  mode: HubMode,
  clientCount: number,
  serverCount: number,
): Promise<ClientsMemory> {
  using home = new HubHome(testServers(serverCount));
  using stack = new DisposableStack();
  const clients: Connection[] = [];
  for (let at = 0; at < clientCount; at++) {
    const client = stack.use(connect(home, { mode, idleS: 0 }));
    client.initialize();
    await untilListed(client, serverCount * 4);
    for (let server = 1; server <= serverCount; server++) {
      callTimes(client, { name: `mcp__s${server}__read`, args: {} }, 1);
    }
    useOwnTool(client);
    clients.push(client);
  }
  await Bun.sleep(settleMs);
  const all = processesOf(home.path);
  return {
    furtherMb: clients.slice(1).map(({ pid }) => memoryMb(pid, "Private_Dirty")),
    wholeMb: all.reduce((sum, { pid }) => sum + memoryMb(pid, "Pss"), 0),
    processes: all.length,
  };
}

/** Private memory of a client that has no MCP server, and has done the rest likewise. */
export async function memoryWithoutServers(mode: HubMode): Promise<number> {
  using home = new HubHome(() => ({}));
  // One more, so that no page of the executable is this one's alone.
  using other = connect(home, { mode, idleS: 0 });
  using client = connect(home, { mode, idleS: 0 });
  for (const each of [other, client]) {
    each.initialize();
    each.call("tools/list");
    useOwnTool(each);
  }
  await Bun.sleep(settleMs);
  return memoryMb(client.pid, "Private_Dirty");
}

function useOwnTool(client: Connection): void {
  callTimes(client, { name: "ListBgTasks", args: {} }, 1);
}

/** 0 for a process that has ended. */
function memoryMb(pid: number, member: "Private_Dirty" | "Pss"): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
    return Number(new RegExp(String.raw`^${member}:\s+(\d+) kB`, "m").exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
