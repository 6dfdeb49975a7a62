import { expect, setDefaultTimeout, test } from "bun:test";

import { eventually } from "../../e2e/harness/conditions.ts";
import { request } from "../../server/harness.ts";
import { beginSession, get, post, read } from "../../server/http/exchange.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { startSessionReplica } from "../../support/engines/session-replica.ts";

setDefaultTimeout(60_000);

const prefix = "scorpiox:test:1:";
const ping = request(2, "ping");
const clientInfo = { name: "test", version: "1" };
const mallory = { authorization: "mallory" };

test("U-adopt: who may write to the engine does not get the session of another", async () => {
  await using redis = await startRedis();
  await using first = await startSessionReplica(redis.url);
  await using second = await startSessionReplica(redis.url);
  const session = await beginSession(first);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const own = await post(first, request("init", "initialize", params), mallory);
  const keyOf = (id: string | null | undefined): string => `${prefix}session:${id}`;
  const [ownKey, key] = [
    keyOf(own.headers.get("mcp-session-id")),
    keyOf(session["mcp-session-id"]),
  ];
  const owners = [ownKey, key].map((each) => redis.send("HGET", each, "p"));
  const [mallorys = "", genuine = ""] = (await Promise.all(owners)).map(String);
  const name = mallorys.slice(mallorys.indexOf("mallory"));
  for (const forged of [mallorys, name, ""]) {
    await redis.send("HSET", key, "p", forged);
    expect((await post(second, ping, { ...session, ...mallory })).status).toBe(404);
  }
  await redis.send("HSET", key, "p", genuine, "h", "{", "u:x:y", "1", "level", "7");
  expect((await post(second, ping, session)).status).toBe(200);
});

test("TH46: a stream that is resumed has no event that a replica has not written", async () => {
  await using redis = await startRedis();
  await using first = await startSessionReplica(redis.url);
  await using second = await startSessionReplica(redis.url);
  const session = await beginSession(first);
  const asking = request("a", "tools/call", { name: "Echo", arguments: {} });
  const headers = { ...session, accept: "text/event-stream, application/json;q=0.5" };
  const stream = read(await post(first, asking, headers));
  const { id = "" } = await stream.event("priming", () => true);
  await eventually("it was called", () => first.tools.calls.length === 1);
  const forged = JSON.stringify({ jsonrpc: "2.0", id: "a", result: { forged: true } });
  const events = `${prefix}events:${session["mcp-session-id"]}`;
  const name = `${first.fleet.replica.id}.1`;
  await redis.send("XADD", events, "*", "s", name, "n", "2", "l", "0", "d", forged);
  const resumed = read(await get(second, { ...session, "last-event-id": id }));
  await redis.send("PUBLISH", `${events}:new`, `${name} 3 0 ${forged}`);
  first.tools.answer(0);
  await resumed.ended;
  expect(resumed.messages).toEqual([{ jsonrpc: "2.0", id: "a", result: { content: [] } }]);
});
