import { describe, expect, spyOn, test } from "bun:test";

import { eventually } from "../../e2e/harness/conditions.ts";
import { notification, request } from "../../server/harness.ts";
import { beginSession, get, post, read } from "../../server/http/exchange.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { TcpProxy } from "../../support/engines/tcp-proxy.ts";
import { startSessionReplica } from "../../support/engines/session-replica.ts";

const ping = request(2, "ping");
const call = (id: string): unknown => request(id, "tools/call", { name: "Echo", arguments: {} });

const streamed = { accept: "text/event-stream, application/json;q=0.5" };

describe("FleetSessions", () => {
  test("a session begun at one replica is served, and ended, by another", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    expect((await post(second, ping, session)).status).toBe(200);
    expect((await second.fetch("/mcp", { method: "DELETE", headers: session })).status).toBe(204);
    await eventually(
      "it has ended at the first",
      async () => (await post(first, ping, session)).status === 404,
    );
    expect(first.endedIds).toEqual([`session:${session["mcp-session-id"]}`]);
    expect(second.endedIds).toEqual([`session:${session["mcp-session-id"]}`]);
  });

  test("U-adopt: a session belongs to its principal on every replica", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    expect((await post(second, ping, { ...session, authorization: "mallory" })).status).toBe(404);
    expect((await post(second, ping, session)).status).toBe(200);
  });

  test("what one replica is told of the session, another knows with the next request", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    for (let round = 0; round < 20; round += 1) {
      const session = await beginSession(first, "2025-06-18", { elicitation: {} });
      await post(second, request(3, "logging/setLevel", { level: "error" }), session);
      const answer = post(first, call("a"), session);
      await eventually("it was called", () => first.tools.calls.length === round + 1);
      const asked = first.tools.calls[round]?.request;
      first.tools.answer(round);
      expect((await answer).status).toBe(200);
      expect([asked?.ask?.can("form"), asked?.capabilities?.elicitationForm]).toEqual([true, true]);
    }
  });

  test("a stream is replayed and followed to its end by another replica", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    const params = { name: "Echo", arguments: {}, _meta: { progressToken: "t" } };
    const asking = request("a", "tools/call", params);
    const stream = read(await post(first, asking, { ...session, ...streamed }));
    await eventually("it was called", () => first.tools.calls.length === 1);
    let reported = 0;
    const report = (message: string): void =>
      first.tools.calls[0]?.request.onProgress?.({ progress: (reported += 1), message });
    report("one");
    await stream.event("progress", ({ data }) => data?.includes("one") === true);
    const [priming, one] = stream.events.map(({ id }) => id);
    const resumed = read(await get(second, { ...session, "last-event-id": priming ?? "" }));
    await resumed.event("the replayed one", ({ id }) => id === one);
    await stream.ended;
    report("two");
    await resumed.event("progress", ({ data }) => data?.includes("two") === true);
    first.tools.answer(0);
    await resumed.ended;
    const ids = resumed.events.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(ids).toEqual([2, 3, 4].map((number) => `${first.fleet.replica.id}.1-${number}`));
    expect(resumed.messages.at(-1)).toMatchObject({ id: "a", result: {} });
    // The rest of it, once more, at the one where it ran, and elsewhere.
    for (const replica of [first, second]) {
      const again = read(await get(replica, { ...session, "last-event-id": ids[0] ?? "" }));
      await again.ended;
      expect(again.events.map(({ id }) => id)).toEqual(ids.slice(1));
    }
  });

  test("the stream of a replica that is gone ends with an error that says so", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    await using third = await startSessionReplica(redis.url);
    const session = await beginSession(first);
    const stream = read(await post(first, call("a"), { ...session, ...streamed }));
    const { id = "" } = await stream.event("priming", () => true);
    await second.fleet.replica.renew();
    const resumed = read(await get(second, { ...session, "last-event-id": id }));
    first.vanish();
    await redis.send("ZREM", "scorpiox:test:1:replicas", first.fleet.replica.id);
    await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
    await second.fleet.replica.renew();
    await resumed.ended;
    const lost = { id: "a", error: { code: -32603 } };
    expect(resumed.messages).toMatchObject([lost]);
    await third.fleet.replica.renew();
    const later = read(await get(third, { ...session, "last-event-id": id }));
    await later.ended;
    expect(later.messages).toEqual(resumed.messages);
    expect((await post(third, ping, session)).status).toBe(200);
  });

  test("a replica that goes has its replies out first", async () => {
    await using redis = await startRedis();
    using proxy = new TcpProxy(redis.port);
    await using first = await startSessionReplica(proxy.url);
    const session = await beginSession(first, "2025-06-18");
    const stream = read(await post(first, call("a"), { ...session, ...streamed }));
    await eventually("it was called", () => first.tools.calls.length === 1);
    // An event is at the engine before it goes out.
    proxy.delayMs = 50;
    first.tools.answer(0);
    await first.endpoint.drain();
    await first.table.settled();
    first.table.leave();
    await stream.ended;
    expect(stream.messages).toMatchObject([{ id: "a", result: {} }]);
  });

  test("cancellations and answers reach the replica that waits for them", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first, "2025-11-25", { elicitation: {} });
    const stream = read(await post(first, call("a"), { ...session, ...streamed }));
    await eventually("it was called", () => first.tools.calls.length === 1);
    const question = {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "?",
        requestedSchema: { type: "object", properties: {} },
      },
    } as const;
    const asking = first.tools.calls[0]?.request.ask?.ask({ name: question });
    const { id } = await stream.message("the question", ({ method }) => method === question.method);
    const answer = { jsonrpc: "2.0", id, result: { action: "accept", content: {} } };
    expect((await post(second, answer, session)).status).toBe(202);
    expect(await asking).toEqual({ name: { action: "accept", content: {} } });
    let isCancelled = false;
    first.tools.calls[0]?.request.cancellation.onCancel(() => (isCancelled = true));
    await post(second, notification("notifications/cancelled", { requestId: "a" }), session);
    await eventually("it was cancelled", () => isCancelled);
  });

  test("a batch of cancellations and answers is one message to the others, and none when it is refused", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url);
    await using second = await startSessionReplica(redis.url);
    const session = await beginSession(first, "2025-03-26");
    const calling = post(first, call("a"), session);
    await eventually("it was called", () => first.tools.calls.length === 1);
    let isCancelled = false;
    first.tools.calls[0]?.request.cancellation.onCancel(() => (isCancelled = true));
    using requests = spyOn(second.fleet.engine, "request");
    const sent = (): number =>
      requests.mock.calls.filter(([command]) => command === "PUBLISH").length;
    const before = sent();
    const batch = Array.from({ length: 999 }, (_, number) =>
      number % 2 === 0
        ? notification("notifications/cancelled", { requestId: `x${number}` })
        : { jsonrpc: "2.0", id: `server-aaaaaaaa${"ab"[number % 3] ?? "c"}a-1`, result: {} },
    );
    const end = notification("notifications/cancelled", { requestId: "a" });
    await post(second, [...batch, end, end], session);
    expect([sent(), isCancelled]).toEqual([before, false]);
    await post(second, [...batch, end], session);
    await eventually("it was cancelled", () => isCancelled);
    expect(sent()).toBe(before + 1);
    await calling;
  });

  test("one principal has its part of the sessions in the whole fleet", async () => {
    await using redis = await startRedis();
    await using first = await startSessionReplica(redis.url, { principalMax: 2 });
    await using second = await startSessionReplica(redis.url, { principalMax: 2 });
    const begin = async (at: typeof first, authorization: string): Promise<number> =>
      (
        await post(
          at,
          request(1, "initialize", {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: "t", version: "1" },
          }),
          { authorization },
        )
      ).status;
    const answers = [
      await begin(first, "a"),
      await begin(second, "a"),
      await begin(first, "a"),
      await begin(second, "b"),
    ];
    expect(answers).toEqual([200, 200, 503, 200]);
  });
});
