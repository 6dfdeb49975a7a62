import { expect, test } from "bun:test";

import { request } from "../../server/harness.ts";
import { read } from "../../server/http/exchange.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { startSessionReplica } from "../../support/engines/session-replica.ts";

const initialize = request(1, "initialize", {
  protocolVersion: "2024-11-05",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});

test("FleetPairRelay: a message of HTTP+SSE comes to the replica with the stream, from every other", async () => {
  await using redis = await startRedis();
  await using first = await startSessionReplica(redis.url);
  await using second = await startSessionReplica(redis.url);
  const stream = read(await first.fetch("/sse", { headers: { accept: "text/event-stream" } }));
  const { data: path = "" } = await stream.event(
    "the endpoint",
    ({ event }) => event === "endpoint",
  );
  const post = async (message: unknown, authorization?: string, to = path): Promise<number> => {
    const headers = {
      "content-type": "application/json",
      ...(authorization === undefined ? {} : { authorization }),
    };
    const answer = await second.fetch(to, {
      method: "POST",
      headers,
      body: JSON.stringify(message),
    });
    return answer.status;
  };
  expect([await post(initialize), await post(request(2, "ping"))]).toEqual([202, 202]);
  expect(await stream.reply(1)).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
  expect(await stream.reply(2)).toMatchObject({ result: {} });
  // Here it would run with the rights of the stream.
  expect(await post(request(6, "ping"), "local read")).toBe(403);
  // A fleet that begins takes every replica for live during the first lease.
  await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
  expect([
    await post(request(3, "ping"), "mallory"),
    await post(request(4, "ping"), undefined, `${path}x`),
    await post(request(5, "ping"), undefined, "/messages?session=aaaaaaaaaa.none"),
  ]).toEqual([404, 404, 404]);
});
