/**
 * Ten clients with a hundred calls each at once over HTTP, a thousand clients that come and go, and ten that get servers of
 * their own: what is left of processes and descriptors.
 *
 *     bun scripts/verify/upstream-load.ts [--reconnects 1000]
 */
import { readdirSync } from "node:fs";

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { HttpServer } from "../../test/e2e/harness/http-server.ts";
import type { HttpSession } from "../../test/e2e/harness/http-session.ts";
import { textOf } from "../../test/e2e/harness/messages.ts";
import { processesWith, residentBytes, uniqueSeconds } from "../../test/e2e/harness/processes.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import type { Outcome } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";
import { zombies } from "./zombies.ts";

const clientsCount = 10;
const callsAtOnce = 100;
const rounds = 3;
const reconnectsAtOnce = 8;
/** One a second. */
const equalLooks = 5;
/** Before the descriptors are counted first: the servers that clients had for themselves have ended, their own connections too. */
const warmUps = 100;
const descriptorsGrowthMax = 5;
const shared = ["pipe", "modern", "web"] as const;

export async function checkUpstreamLoad(reconnects: number): Promise<Outcome> {
  const marker = `load${uniqueSeconds()}`;
  const faults: string[] = [];
  using home = upstreamHome({
    pipe: [{ name: `${marker} pipe`, era: "legacy", probe: "error" }],
    modern: [{ name: `${marker} modern`, era: "modern" }],
    web: [{ name: `${marker} web` }],
    own: [{ name: `${marker} own` }, { isolation: "session" }],
  });
  await using server = await HttpServer.start({ home });
  const counts = (): Counts => countsOf(server.pid, marker);

  const load = await loadOf(server, counts, faults);
  if (load.children > shared.length + clientsCount)
    faults.push(`${load.children} processes of servers under load`);
  await reconnect(server, warmUps);
  const { descriptors: before } = await settled(counts, shared.length);
  const at = performance.now();
  await reconnect(server, reconnects);
  const tookMs = performance.now() - at;
  const after = await settled(counts, shared.length);
  if (after.zombies > 0) faults.push(`${after.zombies} zombies after all clients have gone`);
  const growth = after.descriptors - before;
  if (Math.abs(growth) > descriptorsGrowthMax) {
    faults.push(
      `descriptors: ${before} before ${reconnects} clients came and went, ${after.descriptors} after`,
    );
  }
  const pids = await distinct(server, "own", clientsCount);
  if (pids !== clientsCount)
    faults.push(`${clientsCount} clients have ${pids} servers of their own`);
  const sharedPids = await distinct(server, "pipe", clientsCount);
  if (sharedPids !== 1) faults.push(`${clientsCount} clients share ${sharedPids} servers`);
  return {
    name: "many clients of other servers",
    passed: faults.length === 0 && reconnects > 0,
    figures: `${load.calls} calls of ${clientsCount} clients, ${callsAtOnce} at once each, in ${(load.tookMs / 1000).toFixed(2)} s, each answered rightly, by ${load.children} processes; ${reconnects} clients came, called and went in ${(tookMs / 1000).toFixed(2)} s: ${after.children} processes for ${shared.length} shared servers, ${after.zombies} zombies, ${before} descriptors before and ${after.descriptors} after, ${Math.round(residentBytes(server.pid) / 1e6)} MB; ${clientsCount} clients: ${sharedPids} process of a shared server, ${pids} of one that is not`,
    faults,
  };
}

interface Counts {
  readonly children: number;
  readonly zombies: number;
  readonly descriptors: number;
}

function countsOf(pid: number, marker: string): Counts {
  return {
    children: processesWith(marker).length,
    zombies: zombies(pid).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** The counts when what belonged to clients has gone with them, and nothing changes any more. */
async function settled(counts: () => Counts, children: number): Promise<Counts> {
  let last = "";
  let looks = 0;
  return eventually(
    `${children} processes of servers, no more`,
    async () => {
      const now = counts();
      const text = JSON.stringify(now);
      looks = text === last && now.children === children ? looks + 1 : 0;
      last = text;
      if (looks === equalLooks) return now;
      await Bun.sleep(1_000);
      return undefined;
    },
    60_000,
  );
}

interface Load {
  readonly calls: number;
  readonly tookMs: number;
  /** The most processes of servers that there were. */
  readonly children: number;
}

async function loadOf(server: HttpServer, counts: () => Counts, faults: string[]): Promise<Load> {
  const sessions = await Promise.all(
    Array.from({ length: clientsCount }, () => server.initialize()),
  );
  const at = performance.now();
  let [calls, children] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const all = sessions.flatMap((session, client) =>
      Array.from({ length: callsAtOnce }, (_, index) => callOne(session, client, index)),
    );
    const wrong = (await Promise.all(all)).filter((fault) => fault !== undefined);
    calls += all.length;
    faults.push(...wrong.slice(0, 5));
    children = Math.max(children, counts().children);
  }
  const tookMs = performance.now() - at;
  for (const session of sessions) await session.end();
  return { calls, tookMs, children };
}

/** What is wrong with the answer. */
async function callOne(
  session: HttpSession,
  client: number,
  index: number,
): Promise<string | undefined> {
  const names = [...shared, "own"];
  const name = names[index % names.length] ?? "";
  const text = `${client} says ${index} to ${name}`;
  const reply = await session.call(`mcp__${name}__echo`, { text });
  const said = reply.error === undefined ? textOf(reply) : reply.error.message;
  return said === text ? undefined : `${text}: ${said}`;
}

/** Every other client goes without a word, in the middle of its stream. */
async function reconnect(server: HttpServer, count: number): Promise<void> {
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun < count) {
      const index = begun++;
      const session = await server.initialize();
      const stream = await session.listen();
      const fault = await callOne(session, index, index % shared.length);
      if (fault !== undefined) throw new Error(fault);
      await stream.close();
      if (index % 2 === 0) await session.end();
    }
  };
  await Promise.all(Array.from({ length: reconnectsAtOnce }, one));
}

/** How many processes of a server so many clients are served by. */
async function distinct(server: HttpServer, name: string, count: number): Promise<number> {
  const sessions = await Promise.all(Array.from({ length: count }, () => server.initialize()));
  const pids = await Promise.all(
    sessions.map(async (session) => textOf(await session.call(`mcp__${name}__pid`))),
  );
  return new Set(pids).size;
}

if (import.meta.main) await runAlone(checkUpstreamLoad, "reconnects", 1_000);
