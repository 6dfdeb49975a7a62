import type { Server } from "../../../test/e2e/harness/server.ts";
import { seconds } from "../outcome.ts";
import {
  endAll,
  type HubMode,
  listedTools,
  messageOf,
  type Part,
  startClient,
} from "./hub-clients.ts";
import { HubHome, testServers } from "./hub-home.ts";
import { leftOf } from "./hub-traces.ts";

/** After `HUB_IDLE`. */
const goneMsMax = 5_000;
const clientCount = 2;
const serverCount = 2;

/** Ways in which the clients end. */
const ends = ["end of input", "SIGTERM", "SIGKILL", "one killed, one not"] as const;

/** Rounds of clients that come, call and go: nothing may be left of anything. */
export async function startAndStop(rounds: number, mode: HubMode): Promise<Part> {
  const faults: string[] = [];
  const overMs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    try {
      overMs.push(await oneRound(round, mode));
    } catch (error) {
      faults.push(`round ${round}: ${messageOf(error)}`);
    }
    if (round % 10 === 0) console.log(`hub-processes: ends: ${overMs.length} of ${round}`);
  }
  const slowest = overMs.length === 0 ? "none" : seconds(Math.max(...overMs));
  return {
    name: "starts and ends",
    figure: `${overMs.length} of ${rounds} left nothing (${ends.join(", ")}) ${seconds(goneMsMax)} after HUB_IDLE; slowest ${slowest}`,
    faults,
  };
}

/** Mostly at once, now and then after a while, and with the default. */
function idleOf(round: number): number {
  if (round % 50 === 25) return 10;
  return round % 5 === 0 ? 1 : 0;
}

/** Milliseconds after `HUB_IDLE` until nothing was left. @throws Error that names the rest */
async function oneRound(round: number, mode: HubMode): Promise<number> {
  using home = new HubHome(testServers(serverCount));
  const idleS = idleOf(round);
  const clients = Array.from({ length: clientCount }, () => startClient(home, { mode, idleS }));
  try {
    // Some end before the hub has started.
    if (round % 10 !== 7) await Promise.all(clients.map((client) => useIt(client)));
    return await untilNothing(home, clients, round, idleS);
  } finally {
    await endAll(clients);
  }
}

async function useIt(client: Server): Promise<void> {
  await client.initialize();
  await listedTools(client);
  for (let at = 1; at <= serverCount; at++) await client.call(`mcp__s${at}__read`, { id: "a" });
}

async function untilNothing(
  home: HubHome,
  clients: readonly Server[],
  round: number,
  idleS: number,
): Promise<number> {
  const end = ends[round % ends.length];
  for (const [at, client] of clients.entries()) {
    const isKilled = end === "SIGKILL" || (end === "one killed, one not" && at === 0);
    if (isKilled) client.signal("SIGKILL");
    else if (end === "SIGTERM") client.signal("SIGTERM");
    else client.endInput();
  }
  await Promise.all(clients.map((client) => client.exited));
  const endedAt = performance.now();
  for (;;) {
    const left = leftOf(home.path);
    const overMs = performance.now() - endedAt - idleS * 1_000;
    if (left.length === 0) return Math.max(0, overMs);
    if (overMs > goneMsMax) {
      throw new Error(`${end}, HUB_IDLE=${idleS}: left: ${left.slice(0, 6).join("; ")}`);
    }
    await Bun.sleep(20);
  }
}
