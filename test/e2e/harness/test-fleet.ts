import { Postgres } from "../../support/engines/postgres.ts";
import { type RedisServer, startRedis } from "../../support/engines/redis.ts";
import { ConnectionRobin } from "../../support/connection-robin.ts";
import { RoundRobin } from "../../support/round-robin.ts";

/** The engine of all fleets of this process; it ends with the process. */
let engine: Promise<RedisServer> | undefined;

/** With `TEST_FLEET=N` each server over HTTP is N replicas behind a proxy without affinity, with one home. 0: as it is. */
export const fleetSize = Number(process.env["TEST_FLEET"] ?? 0);

/** With `TEST_FLEET_STORE=1` their durable state is in a PostgreSQL. */
const hasStore = process.env["TEST_FLEET_STORE"] === "1";
let store: Promise<Postgres> | undefined;

/** What makes a server one of a fleet of its own. */
export async function fleetEnvironment(
  keepsFiles: boolean,
): Promise<Readonly<Record<string, string>>> {
  engine ??= startRedis();
  const { url } = await engine;
  const HTTP_FLEET = `t${crypto.randomUUID().slice(0, 8)}`;
  return {
    SHARED_URL: url,
    FLEET_KEY: Buffer.alloc(32, 7).toString("base64"),
    HTTP_FLEET,
    ...(hasStore && !keepsFiles && { STORE_URL: await ownDatabase(HTTP_FLEET) }),
  };
}

async function ownDatabase(name: string): Promise<string> {
  store ??= Postgres.start({ settings: { max_connections: "500" } });
  return newDatabase(await store, name);
}

/** The URL of a database that nobody else has. */
export async function newDatabase(postgres: Postgres, name: string): Promise<string> {
  await using client = postgres.client();
  await client.unsafe(`CREATE DATABASE ${name}`);
  return postgres.url.replace(/postgres$/, name);
}

/** What goes to the next replica: each request, or each connection with its bytes as they are. */
export type Turn = "request" | "connection";

/** The address of the same path behind a proxy. */
export async function proxied(
  urls: readonly string[],
  turn: Turn,
): Promise<{ readonly url: string; readonly proxy: RoundRobin | ConnectionRobin }> {
  const parsed = urls.map((url) => new URL(url));
  const proxy =
    turn === "connection"
      ? await ConnectionRobin.start(parsed.map(({ port }) => Number(port)))
      : new RoundRobin(parsed.map(({ origin }) => ({ origin })));
  return { url: proxy.origin + (parsed[0]?.pathname ?? ""), proxy };
}
