import { expect, setDefaultTimeout, test } from "bun:test";

import { startRedis } from "../support/engines/redis.ts";
import { RoundRobin } from "../support/round-robin.ts";
import { HttpClient } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { HttpSession } from "./harness/http-session.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

const token = "ann-0123456789abcdef";

test("[fleet.sessions] a session goes on behind a proxy without affinity, and without the replica that began it", async () => {
  await using redis = await startRedis();
  const env = { SHARED_URL: redis.url, FLEET_KEY: Buffer.alloc(32, 7).toString("base64") };
  const start = (): Promise<HttpServer> => HttpServer.start({ tokens: [`ann ${token}`], env });
  await using first = await start();
  await using second = await start();
  const replicas = [first, second].map(({ url }) => ({ origin: new URL(url).origin }));
  await using proxy = new RoundRobin(replicas);
  const client = new HttpClient(`${proxy.origin}/mcp`, token);
  const session = await HttpSession.open(client, "2025-11-25", {});
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await session.request("ping")).toMatchObject({ result: {} });
  }
  first.signal("SIGKILL");
  await first.ended();
  expect(await session.request("ping")).toMatchObject({ result: {} });
  expect((await session.end()).status).toBe(204);
  const ping = { jsonrpc: "2.0", id: "last", method: "ping" };
  expect((await session.post(ping)).status).toBe(404);
});
