import { expect, test } from "bun:test";

import { leaseFenceMs, leaseMs } from "../../../src/base/limits.ts";
import { Holders } from "../../../src/fleet/replicas/holders.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { startReplica } from "../../support/engines/fleet.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { TcpProxy } from "../../support/engines/tcp-proxy.ts";

test("Replica.live has the replicas that hold a lease, and not one that gave it back", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  const second = await startReplica(redis.url);
  await first.replica.renew();
  expect(new Set(first.replica.live())).toEqual(new Set([first.replica.id, second.replica.id]));
  const gone: string[] = [];
  first.replica.onGone((id) => gone.push(id));
  await second[Symbol.asyncDispose]();
  // A fleet that begins takes everybody for live during the first lease.
  await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
  await first.replica.renew();
  expect([first.replica.live(), gone]).toEqual([[first.replica.id], [second.replica.id]]);
});

test("Replica.isFenced at lease - 3 s of its own clock, and another id when it is back", async () => {
  await using redis = await startRedis();
  let nowMs = 1_000;
  using proxy = new TcpProxy(redis.port);
  await using replica = await startReplica(proxy.url, { now: () => nowMs });
  await using other = await startReplica(redis.url);
  const { id } = replica.replica;
  let fences = 0;
  replica.replica.onFence(() => (fences += 1));
  proxy.isCut = true;
  proxy.breakAll();
  nowMs += leaseMs - leaseFenceMs - 1;
  expect(replica.replica.isFenced).toBe(false);
  nowMs += 1;
  expect(replica.replica.isFenced).toBe(true);
  proxy.isCut = false;
  await eventually("the replica is back", () => !replica.replica.isFenced);
  expect(fences).toBe(1);
  expect(replica.replica.id).not.toBe(id);
  expect([replica.replica.isOwn(id), replica.replica.isOwn(replica.replica.id)]).toEqual([
    true,
    true,
  ]);
  await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
  await other.replica.renew();
  expect(new Set(other.replica.live())).toEqual(new Set([other.replica.id, replica.replica.id]));
});

test("Replica keeps its id when the engine has lost everything, and nobody is taken for gone", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  const gone: string[] = [];
  first.replica.onGone((id) => gone.push(id));
  await first.replica.renew();
  const ids = [first.replica.id, second.replica.id];
  await redis.kill();
  await redis.start();
  await eventually("both are back", () => first.engine.isWell && second.engine.isWell);
  await first.replica.renew();
  await second.replica.renew();
  expect([first.replica.id, second.replica.id]).toEqual(ids);
  second.messages.handle("echo", async (body) => body);
  expect(await first.messages.request(ids[1] ?? "", "echo", "here", { msMax: 5_000 })).toBe("here");
  expect(gone).toEqual([]);
});

test("Replica is not taken for gone when the engine's clock is set 30 s ahead", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  await first.replica.renew();
  const gone: string[] = [];
  first.replica.onGone((id) => gone.push(id));
  // As seen by an engine with a clock that is ahead: all that was written is 30 s old.
  for (const { replica } of [first, second]) {
    await redis.send("ZINCRBY", "scorpiox:test:1:replicas", "-30000", replica.id);
  }
  await redis.send("HINCRBY", "scorpiox:test:1:clock", "at", "-30000");
  await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
  await first.replica.renew();
  expect([gone, first.replica.isLive(second.replica.id)]).toEqual([[], true]);
});

test("Holders: a place moves only when its holder is gone", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  const second = await startReplica(redis.url);
  const ofFirst = new Holders(first.engine, first.replica);
  const ofSecond = new Holders(second.engine, second.replica);
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? ofSecond : ofFirst).holderOf("token:ann:x"),
    ),
  );
  expect(new Set(claims).size).toBe(1);
  const holder = await ofSecond.holderOf("place");
  expect([holder, await ofFirst.holderOf("place")]).toEqual([second.replica.id, second.replica.id]);
  await second[Symbol.asyncDispose]();
  await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
  expect(await ofFirst.holderOf("place")).toBe(first.replica.id);
});
