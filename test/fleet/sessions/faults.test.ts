import { describe, expect, test } from "bun:test";

import { eventually } from "../../e2e/harness/conditions.ts";
import { request } from "../../server/harness.ts";
import { beginSession, get, post, read } from "../../server/http/exchange.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type SessionReplica, startSessionReplica } from "../../support/engines/session-replica.ts";
import { TcpProxy } from "../../support/engines/tcp-proxy.ts";

const ping = request(2, "ping");
const initialize = request(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});
const streamed = { accept: "text/event-stream, application/json;q=0.5" };
const call = (id: string): unknown => request(id, "tools/call", { name: "Echo", arguments: {} });

async function isAway(...replicas: readonly SessionReplica[]): Promise<void> {
  await eventually("the engine is away", () => replicas.every(({ fleet }) => !fleet.engine.isWell));
}

async function isBack(...replicas: readonly SessionReplica[]): Promise<void> {
  await eventually("the engine is back", () => replicas.every(({ fleet }) => fleet.engine.isWell));
}

describe("an engine that is away", () => {
  test("a session goes on where it is known, new ones are refused by the name of the engine", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    await redis.kill();
    await isAway(first, second);
    const pong = await post(first, ping, session);
    const refused = await post(second, initialize);
    const unknown = await post(second, ping, session);
    expect([pong.status, refused.status, unknown.status]).toEqual([200, 503, 503]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.text()).toContain(`Redis at 127.0.0.1:${redis.port} cannot be reached`);
    // The engine has lost everything, and gets the session again.
    await redis.start();
    await isBack(first, second);
    expect((await post(first, ping, session)).status).toBe(200);
    expect((await post(second, ping, session)).status).toBe(200);
  });

  test("a stream goes on, and is whole at another replica when the engine is back", async () => {
    await using redis = await startRedis();
    using proxy = new TcpProxy(redis.port);
    await using first = await startSessionReplica(proxy.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    const stream = read(await post(first, call("a"), { ...session, ...streamed }));
    const { id = "" } = await stream.event("priming", () => true);
    proxy.isCut = true;
    proxy.breakAll();
    await isAway(first);
    await eventually("it was called", () => first.tools.calls.length === 1);
    first.tools.answer(0);
    await stream.ended;
    expect(stream.messages).toMatchObject([{ id: "a", result: {} }]);
    proxy.isCut = false;
    await isBack(first);
    const again = read(await get(second, { ...session, "last-event-id": id }));
    await again.ended;
    expect(again.messages).toEqual(stream.messages);
  });

  test("changes are reported where they happen, and later ones everywhere", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const heard: string[] = [];
    first.changes.listen(({ kind }) => heard.push(`first ${kind}`));
    second.changes.listen(({ kind }) => heard.push(`second ${kind}`));
    await redis.kill();
    await isAway(first, second);
    first.changes.emit({ kind: "prompts" });
    expect(heard).toEqual(["first prompts"]);
    await redis.start();
    await isBack(first, second);
    second.changes.emit({ kind: "tools" });
    await eventually("both heard it", () => heard.length === 3);
    expect(heard.slice(1).sort()).toEqual(["first tools", "second tools"]);
  });
});

test("a full engine: events go out, new sessions are refused, and nothing is lost once there is room", async () => {
  await using redis = await startRedis();
  await using first = await startSessionReplica(redis.url);
  await using second = await startSessionReplica(redis.url);
  const session = await beginSession(first);
  const stream = read(await post(first, call("a"), { ...session, ...streamed }));
  const { id = "" } = await stream.event("priming", () => true);
  await redis.send("CONFIG", "SET", "maxmemory", "1mb");
  await eventually("it was called", () => first.tools.calls.length === 1);
  first.tools.answer(0);
  await stream.ended;
  expect(stream.messages).toMatchObject([{ id: "a" }]);
  const refused = await post(second, initialize);
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining("has no memory left (maxmemory)") as string,
  ]);
  expect((await post(first, ping, session)).status).toBe(200);
  await redis.send("CONFIG", "SET", "maxmemory", "0");
  await eventually("the event is there", async () => {
    const again = read(await get(second, { ...session, "last-event-id": id }));
    await Promise.race([
      again.ended,
      eventually("something", () => again.messages.length > 0 || again.comments.length > 0),
    ]);
    return again.messages.length === 1;
  });
});

test("an engine that takes 500 ms: everything works, slowly", async () => {
  await using redis = await startRedis();
  using proxy = new TcpProxy(redis.port);
  await using first = await startSessionReplica(proxy.url);
  await using second = await startSessionReplica(proxy.url);
  proxy.delayMs = 250;
  const session = await beginSession(first);
  expect((await post(second, ping, session)).status).toBe(200);
  expect([first.fleet.engine.isWell, second.fleet.engine.isWell]).toEqual([true, true]);
  proxy.delayMs = 0;
});

test("a replica with a clock of its own sends and gets messages, and holds its sessions", async () => {
  await using redis = await startRedis();
  await using first = await startSessionReplica(redis.url, {
    now: () => performance.now() + 30_000,
  });
  await using second = await startSessionReplica(redis.url);
  const session = await beginSession(first);
  expect((await post(second, ping, session)).status).toBe(200);
  second.fleet.messages.handle("echo", async (body) => body);
  const to = second.fleet.replica.id;
  expect(await first.fleet.messages.request(to, "echo", 1, { msMax: 5_000 })).toBe(1);
});

test("a failover to a copy: sessions go on at the new primary", async () => {
  // Otherwise it waits 5 s for more copies before it sends anything.
  await using primary = await startRedis({ config: ["repl-diskless-sync-delay 0"] });
  await using copy = await startRedis({ config: [`replicaof 127.0.0.1 ${primary.port}`] });
  using proxy = new TcpProxy(primary.port);
  await using first = await startSessionReplica(proxy.url);
  await using second = await startSessionReplica(proxy.url);
  const session = await beginSession(first);
  await primary.send("WAIT", "1", "5000");
  // No way to either until it is seen that there is none: else "is back" is true before it was away.
  proxy.isCut = true;
  proxy.breakAll();
  await primary.kill();
  await copy.send("REPLICAOF", "NO", "ONE");
  await isAway(first, second);
  proxy.targetPort = copy.port;
  proxy.isCut = false;
  proxy.breakAll();
  await isBack(first, second);
  expect((await post(second, ping, session)).status).toBe(200);
  expect((await post(second, initialize)).status).toBe(200);
  second.changes.emit({ kind: "tools" });
  let isHeard = false;
  first.changes.listen(() => (isHeard = true));
  second.changes.emit({ kind: "tools" });
  await eventually("a change is heard", () => isHeard);
});
