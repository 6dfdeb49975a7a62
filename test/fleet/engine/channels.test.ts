import { expect, test } from "bun:test";

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
