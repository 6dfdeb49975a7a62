import { expect, spyOn, test } from "bun:test";

import { Channels } from "../../../src/fleet/engine/channels.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { startReplica } from "../../support/engines/fleet.ts";
import { startRedis } from "../../support/engines/redis.ts";

test("Channels: each listener hears each message once, until it stops", async () => {
  await using redis = await startRedis();
  await using replica = await startReplica(redis.url);
  using channels = new Channels(replica.engine);
  const heard: string[] = [];
  const stopFirst = await channels.listen("a", (message) => heard.push(`first ${message}`));
  await channels.listen("a", (message) => heard.push(`second ${message}`));
  await channels.listen("b", (message) => heard.push(`other ${message}`));
  await channels.publish("a", "1");
  await channels.publish("b", "2");
  await eventually("both were heard", () => heard.length === 3);
  stopFirst();
  await channels.publish("a", "3");
  await eventually("the rest was heard", () => heard.length === 4);
  expect(heard.sort()).toEqual(["first 1", "other 2", "second 1", "second 3"]);
});

test("Channels are heard again after the engine was away, and each listener is told of the gap", async () => {
  await using redis = await startRedis();
  await using replica = await startReplica(redis.url);
  using channels = new Channels(replica.engine);
  const heard: string[] = [];
  let gaps = 0;
  const onGap = (): void => void (gaps += 1);
  await channels.listen("a", (message) => heard.push(message), onGap);
  await redis.kill();
  await redis.start();
  await eventually("the gap was told", () => gaps === 1 && replica.engine.isWell);
  await channels.publish("a", "after");
  await eventually("it was heard", () => heard.length === 1);
  expect([heard, gaps]).toEqual([["after"], 1]);
});

test("Channels: a listener stops while its subscription is made again", async () => {
  await using redis = await startRedis();
  await using replica = await startReplica(redis.url);
  using channels = new Channels(replica.engine);
  const stop = await channels.listen("a", () => {});
  await channels.listen("b", () => {});
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { subscribe } = Bun.RedisClient.prototype;
  const stopped: unknown[] = [];
  using subscribing = spyOn(Bun.RedisClient.prototype, "subscribe").mockImplementation(function (
    this: Bun.RedisClient,
    ...args: Parameters<typeof subscribe>
  ) {
    queueMicrotask(() => {
      try {
        stopped.push(stop());
      } catch (error) {
        stopped.push(error);
      }
    });
    return subscribe.apply(this, args);
  } as typeof subscribe);
  await redis.kill();
  await redis.start();
  await eventually("it was subscribed again", () => subscribing.mock.calls.length > 0);
  await eventually("it stopped", () => stopped.length > 0);
  expect(stopped.filter((each) => each !== undefined)).toEqual([]);
});
