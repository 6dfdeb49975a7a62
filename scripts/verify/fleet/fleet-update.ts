/**
 * A rolling update: three replicas of one version become three of another, one after the other, while clients of both eras work. No
 * request fails: each is answered with a result at its first try.
 */
import { mirrored, modernMessage } from "../../../test/e2e/harness/http-client.ts";
import { Postgres } from "../../../test/support/engines/postgres.ts";
import { startRedis } from "../../../test/support/engines/redis.ts";
import { type Outcome, seconds } from "../outcome.ts";
import { beginSession, type Exchange, FleetClient } from "./fleet-client.ts";
import { ProxiedFleet } from "./replicas.ts";

const people = ["ada", "ben", "cleo"].map((label) => ({
  label,
  token: `${label}-0123456789abcdef`,
}));
const clientsOfEach = 4;
/** Before, between and after the changes of replicas. */
const pauseMs = 1_500;

const kinds = [
  { method: "tools/call", params: { name: "Bash", arguments: { command: "echo done" } } },
  { method: "tools/list", params: {} },
  { method: "tools/call", params: { name: "ListBgTasks", arguments: {} } },
];

interface Work {
  requests: number;
  readonly texts: string[];
  readonly faults: string[];
}

/** @param oldBinary of the version before; undefined: the same one, which is said */
export async function checkFleetUpdate(oldBinary: string | undefined): Promise<Outcome> {
  await using redis = await startRedis();
  await using postgres = await Postgres.start();
  const tokens = people.map(({ label, token }) => `${label} ${token}`);
  const options = { env: { STORE_URL: postgres.url }, binary: oldBinary };
  await using fleet = await ProxiedFleet.start(redis.url, 3, tokens, options);
  const work: Work = { requests: 0, texts: [], faults: [] };
  const stopping = new AbortController();
  const startedAt = performance.now();
  const clients = people.flatMap(({ token }) => Array.from({ length: clientsOfEach }, () => token));
  const working = clients.map((token, place) =>
    load(new FleetClient(fleet.url, token), place, work, stopping.signal),
  );
  await Bun.sleep(pauseMs);
  for (const replica of fleet.replicas) {
    const code = await replica.stop();
    if (code !== 0) work.faults.push(`a replica ended with ${code}: ${replica.stderr.slice(-200)}`);
    await replica.start();
    await Bun.sleep(pauseMs);
  }
  stopping.abort();
  await Promise.all(working);
  const tookMs = performance.now() - startedAt;
  const lost = await lostTasks(postgres, work.texts);
  const versions = oldBinary === undefined ? "one version (no --base-binary)" : "two versions";
  return {
    name: "fleet-update",
    passed: work.faults.length === 0 && lost === 0 && work.requests > 0,
    figures: `3 replicas of ${versions} replaced under ${clients.length} clients of both eras: ${work.requests} requests in ${seconds(tookMs)}, ${work.faults.length} errors; ${work.texts.length} tasks created, ${lost} lost`,
    faults: work.faults.slice(0, 20),
  };
}

async function load(
  client: FleetClient,
  place: number,
  work: Work,
  signal: AbortSignal,
): Promise<void> {
  const session = place % 2 === 0 ? undefined : await beginSession(client);
  for (let turn = 0; !signal.aborted; turn += 1) {
    const text = `task ${place} ${turn}`;
    const task = { name: "TaskManager", arguments: { action: "create", query: "", text } };
    const isTask = turn % 4 === 3;
    const kind = isTask ? { method: "tools/call", params: task } : kinds[turn % 4];
    if (kind === undefined) continue;
    const id = `${place}-${turn}`;
    work.requests += 1;
    const exchange = await sent(client, session, id, kind).catch(String);
    const fault = faultOf(exchange, id);
    if (fault === undefined && isTask) work.texts.push(text);
    if (fault !== undefined)
      work.faults.push(`${kind.method} ${JSON.stringify(kind.params).slice(0, 80)}: ${fault}`);
  }
}

function sent(
  client: FleetClient,
  session: Readonly<Record<string, string>> | undefined,
  id: string,
  { method, params }: (typeof kinds)[number] | { method: string; params: object },
): Promise<Exchange> {
  if (session !== undefined) return client.post({ jsonrpc: "2.0", id, method, params }, session);
  const message = modernMessage(id, method, { ...params });
  return client.post(message, mirrored(message));
}

function faultOf(exchange: Exchange | string, id: string): string | undefined {
  if (typeof exchange === "string") return exchange;
  const reply = exchange.events.find(({ message }) => message?.["id"] === id)?.message;
  const result = reply?.["result"] as { readonly isError?: unknown } | undefined;
  if (result !== undefined && result.isError !== true) return undefined;
  return `${exchange.status} ${exchange.text || JSON.stringify(reply)}`.slice(0, 300);
}

/** Tasks that were acknowledged and are not in the engine, or are there twice. */
async function lostTasks(postgres: Postgres, texts: readonly string[]): Promise<number> {
  await using sql = new Bun.SQL(postgres.url, { max: 1 });
  const rows: readonly { readonly text: string }[] = await sql`SELECT text FROM tasks`;
  const counts = new Map<string, number>();
  for (const { text } of rows) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.filter((text) => counts.get(text) !== 1).length;
}
