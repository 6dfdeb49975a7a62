import { expect, test } from "bun:test";

import { FleetKeys, parseSharedUrl } from "../../../src/fleet/engine/shared-url.ts";
import { Script, SharedEngine } from "../../../src/fleet/engine/shared-engine.ts";
import { hasEngine, startRedis, startValkey } from "../../support/engines/redis.ts";
import { TcpProxy } from "../../support/engines/tcp-proxy.ts";
import { eventually } from "../../e2e/harness/conditions.ts";

function engineAt(url: string): SharedEngine {
  return new SharedEngine(parseSharedUrl(url), new FleetKeys("test"));
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    const { reason, message } = error as { reason?: string; message: string };
    return { reason, message };
  }
}

test("SharedEngine answers in the order of the requests, and runs scripts", async () => {
  await using redis = await startRedis();
  using engine = engineAt(redis.url);
  await engine.start();
  const key = engine.keys.of("list");
  const pushed = Array.from({ length: 50 }, (_, n) => engine.request("RPUSH", key, String(n)));
  expect(await Promise.all(pushed)).toEqual(pushed.map((_, n) => n + 1));
  const script = new Script("return {KEYS[1], ARGV[1], redis.call('LLEN', KEYS[1])}");
  expect(await script.run(engine, [key], [7])).toEqual(["scorpiox:test:1:list", "7", 50]);
  await engine.request("HSET", engine.keys.of("map"), "a", "1");
  expect(Object.entries((await engine.request("HGETALL", engine.keys.of("map"))) ?? {})).toEqual([
    ["a", "1"],
  ]);
});

test.if(hasEngine("valkey-server"))("SharedEngine uses Valkey", async () => {
  await using valkey = await startValkey();
  using engine = engineAt(valkey.url.replace("redis:", "valkey:"));
  await engine.start();
  expect([engine.label, await engine.request("PING")]).toEqual([
    `Valkey at 127.0.0.1:${valkey.port}`,
    "PONG",
  ]);
});

test("SharedEngine.start refuses an engine that forgets", async () => {
  await using redis = await startRedis({ config: ["maxmemory-policy allkeys-lru"] });
  using engine = engineAt(redis.url);
  expect(await outcomeOf(engine.start())).toEqual({
    reason: "refused",
    message: `Redis at 127.0.0.1:${redis.port} cannot be used: its maxmemory-policy is allkeys-lru, which forgets sessions when memory is short: set maxmemory-policy noeviction.`,
  });
});

test("SharedEngine.start refuses a copy, and a node of a cluster", async () => {
  await using primary = await startRedis();
  await using copy = await startRedis({ config: [`replicaof 127.0.0.1 ${primary.port}`] });
  await using node = await startRedis({ config: ["cluster-enabled yes"] });
  using ofCopy = engineAt(copy.url);
  using ofNode = engineAt(node.url);
  expect(await outcomeOf(ofCopy.start())).toMatchObject({
    reason: "refused",
    message: expect.stringContaining("it is a read-only copy (replicaof)") as string,
  });
  expect(await outcomeOf(ofNode.start())).toMatchObject({
    reason: "refused",
    message: expect.stringContaining("it is a node of a cluster") as string,
  });
});

test.each([
  [
    "user lacks nothing",
    "~scorpiox:test:1:* &scorpiox:test:1:* +@all -@dangerous +info",
    undefined,
  ],
  [
    "user may not publish",
    "~scorpiox:test:1:* &scorpiox:test:1:* +@all -@dangerous +info -publish",
    "its user may not use PUBLISH: allow these commands on the keys and channels scorpiox:test:1:*",
  ],
  ["user of other keys", "~other:* &* +@all", "its user may not use SET, GET"],
  ["user may not look", "~* &* +@all -@dangerous", "NOPERM"],
])("SharedEngine.start with an ACL: %s", async (_name, rules, refusal) => {
  await using redis = await startRedis();
  await redis.send("ACL", "SETUSER", "fleet", "on", ">pass", ...rules.split(" "));
  using engine = engineAt(redis.url.replace("//", "//fleet:pass@"));
  const outcome = await outcomeOf(engine.start(1_000));
  if (refusal === undefined) expect(outcome).toBeUndefined();
  else
    expect(outcome).toMatchObject({
      reason: "refused",
      message: expect.stringContaining(refusal) as string,
    });
});

test("SharedEngine fails with the name of an engine that does not answer, and is back with it", async () => {
  await using redis = await startRedis();
  using engine = engineAt(redis.url);
  await engine.start();
  redis.signal("SIGSTOP");
  const message = `Redis at 127.0.0.1:${redis.port} did not answer within 1000 ms.`;
  expect(await outcomeOf(engine.request("PING"))).toEqual({ reason: "late", message });
  expect(engine.isWell).toBe(false);
  redis.signal("SIGCONT");
  await eventually("the engine is back", () => engine.isWell);
  expect(await engine.request("PING")).toBe("PONG");
});

test("SharedEngine refuses at once while the engine is away, and loses no later request", async () => {
  await using redis = await startRedis();
  using engine = engineAt(redis.url);
  await engine.start();
  await redis.kill();
  await eventually("the connection broke", () => !engine.isWell);
  // What comes within the first second waits for a quick return.
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => outcomeOf(engine.request("PING"))),
  );
  expect(outcomes).toEqual(
    outcomes.map(() => ({
      reason: "away",
      message: expect.stringMatching(/cannot be reached/) as string,
    })),
  );
  await redis.start();
  await eventually("the engine is back", () => engine.isWell);
  expect(await engine.request("PING")).toBe("PONG");
});

test("SharedEngine answers through an engine that takes 500 ms", async () => {
  await using redis = await startRedis();
  using proxy = new TcpProxy(redis.port);
  using engine = engineAt(proxy.url);
  await engine.start();
  proxy.delayMs = 250;
  expect(await Promise.all([engine.request("PING"), engine.request("ECHO", "a")])).toEqual([
    "PONG",
    "a",
  ]);
});

test("SharedEngine says that the memory is full", async () => {
  await using redis = await startRedis({ config: ["maxmemory 3mb"] });
  using engine = engineAt(redis.url);
  await engine.start();
  const big = "x".repeat(1024 * 1024);
  const outcomes = [];
  for (const name of ["a", "b", "c", "d"])
    outcomes.push(await outcomeOf(engine.request("SET", engine.keys.of(name), big)));
  expect(outcomes.at(-1)).toEqual({
    reason: "full",
    message: `Redis at 127.0.0.1:${redis.port} has no memory left (maxmemory).`,
  });
  expect(engine.isWell).toBe(true);
});

test("SharedEngine follows a failover at its address", async () => {
  await using first = await startRedis();
  using proxy = new TcpProxy(first.port);
  using engine = engineAt(proxy.url);
  await engine.start();
  await using other = await startRedis();
  await first.send("REPLICAOF", "127.0.0.1", String(other.port));
  await eventually("it is a copy", async () =>
    String(await first.send("ROLE")).startsWith("slave"),
  );
  expect(await outcomeOf(engine.request("SET", engine.keys.of("a"), "1"))).toMatchObject({
    reason: "away",
    message: expect.stringContaining("READONLY") as string,
  });
  await first.send("REPLICAOF", "NO", "ONE");
  await eventually("it is a primary again", () => engine.isWell);
  expect(await engine.request("SET", engine.keys.of("a"), "1")).toBe("OK");
});
