import { type RedisServer, startRedis } from "../../support/engines/redis.ts";
import { RoundRobin } from "../../support/round-robin.ts";

/** The engine of all fleets of this process; it ends with the process. */
let engine: Promise<RedisServer> | undefined;

/** With `TEST_FLEET=N` each server over HTTP is N replicas behind a proxy without affinity, with one home. 0: as it is. */
export const fleetSize = Number(process.env["TEST_FLEET"] ?? 0);

/** What makes a server one of a fleet of its own. */
export async function fleetEnvironment(): Promise<Readonly<Record<string, string>>> {
  engine ??= startRedis();
  const { url } = await engine;
  const HTTP_FLEET = `t${crypto.randomUUID().slice(0, 8)}`;
  return { SHARED_URL: url, FLEET_KEY: Buffer.alloc(32, 7).toString("base64"), HTTP_FLEET };
}

/** The address of the same path behind a proxy. */
export function proxied(urls: readonly string[]): {
  readonly url: string;
  readonly proxy: RoundRobin;
} {
  const proxy = new RoundRobin(urls.map((url) => ({ origin: new URL(url).origin })));
  const { pathname } = new URL(urls[0] ?? "");
  return { url: proxy.origin + pathname, proxy };
}
