import type { Server } from "../../../test/e2e/harness/server.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../../test/e2e/harness/messages.ts";
import { endAll, type HubMode, listedTools, startClient } from "./hub-clients.ts";
import { HubHome, nodeServers } from "./hub-home.ts";
import { processesOf } from "./hub-traces.ts";
import {
  assertHub,
  folders,
  type Listed,
  processFigure,
  type Run,
  startMany,
} from "./many-clients.ts";

/** Between the first list and the second, as a client has it that works meanwhile. */
const listGapMs = 3_000;

/** Clients of one workspace that start at once with real servers: their lists are whole by the second one. */
export async function withNodeServers(mode: HubMode, clientCount: number): Promise<Run> {
  using home = new HubHome(nodeServers);
  const clients = startMany(home, mode, folders(home, clientCount, true));
  try {
    // How many tools there are is known when a client has seen them all, once.
    const whole = await wholeCount();
    const listed = await Promise.all(clients.map((client) => listTwice(client, whole)));
    await Promise.all(clients.map(callEach));
    assertNode(home, clients.length);
    await assertHub(home, clients, mode);
    const late = listed.filter(({ first }) => first < whole).length;
    return { firstMs: listed.map(({ firstMs }) => firstMs), figure: processFigure(home, late) };
  } finally {
    await endAll(clients);
  }
}

/** @throws Error when the second list is not whole */
async function listTwice(client: Server, whole: number): Promise<Listed> {
  await client.initialize("2025-11-25", "claude-code");
  const at = performance.now();
  const { length: first } = await listedTools(client);
  const firstMs = performance.now() - at;
  await Bun.sleep(listGapMs);
  const { length: second } = await listedTools(client);
  if (second >= whole) return { firstMs, first, lists: first < whole ? 2 : 1 };
  throw new Error(`lists of ${first} and ${second} tools, of ${whole}`);
}

/** One process of each, but for a server that keeps the thoughts of one conversation: each client has its own. */
function assertNode(home: HubHome, clientCount: number): void {
  const node = processesOf(home.path).filter(({ command }) => /^(\S*\/)?node /.test(command));
  const thinking = node.filter(({ command }) => command.includes("sequential-thinking")).length;
  const others = Object.keys(nodeServers(home)).length - 1;
  if (node.length === others + thinking && thinking === clientCount) return;
  throw new Error(`${node.length} processes of Node, ${thinking} of the one for each client`);
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
