import { describe, expect, test } from "bun:test";
import {
  batchElementsMax,
  batchReplyCharsMax,
  requestsInFlightMax,
} from "../../src/base/limits.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import {
  error,
  modern,
  notification,
  request,
  result,
  startServer,
  startSession,
} from "./harness.ts";

const echo = { name: "Echo", arguments: { text: "a" } };
const batchesRefused = error(
  undefined,
  -32600,
  "Invalid request: batches exist in protocol revision 2025-03-26 only",
);

describe("Dispatcher, ids", () => {
  test('HP5: keeps 1 and "1" apart, also in flight', async () => {
    const { exchange, tools, transport, news } = await startSession("2025-06-18");
    transport.deliver(request(1, "tools/call", echo), request("1", "tools/call", echo));
    tools.answer(1, '{"n":"string"}');
    tools.answer(0, '{"n":"number"}');
    await transport.sentAtLeast(3);
    expect(news()).toEqual([result("1", { n: "string" }), result(1, { n: "number" })]);
    expect(await exchange(1, request(0, "ping"))).toEqual([result(0, {})]);
  });

  test("refuses an id in flight without answering it twice", async () => {
    const { exchange, tools } = await startSession("2025-06-18");
    const call = request("a", "tools/call", echo);
    expect(await exchange(1, call, request("a", "ping"))).toEqual([
      error(undefined, -32600, 'Invalid request: id "a" is in flight'),
    ]);
    tools.answer(0);
    expect(await exchange(1)).toEqual([result("a", { content: [] })]);
    expect(await exchange(1, request("a", "ping"))).toEqual([result("a", {})]);
  });

  test("KF2: a bad line and a null id are answered without id, and the next line works", async () => {
    const { transport, news } = startServer();
    transport.deliverText('{\n{"jsonrpc":"2.0","id":null,"method":"ping"}\n');
    transport.deliver(request(1, "ping"));
    expect(news()).toEqual([
      error(undefined, -32700, "Parse error: the line is not JSON"),
      error(
        undefined,
        -32600,
        'Invalid request: member "id" must be a string or an integer within ±(2^53-1)',
      ),
      result(1, {}),
    ]);
    expect(transport.sent.join("")).not.toContain('"id":null');
  });

  test("bounds the requests in flight, ping excepted", async () => {
    const { exchange, tools } = await startSession("2025-06-18");
    const calls = Array.from({ length: requestsInFlightMax + 1 }, (_, id) =>
      request(id, "tools/call", echo),
    );
    const [refusal, pong] = await exchange(2, ...calls, request("p", "ping"));
    expect(tools.calls.length).toBe(requestsInFlightMax);
    expect([refusal, pong]).toEqual([
      error(requestsInFlightMax, -32603, "Too many requests in flight: try later"),
      result("p", {}),
    ]);
    tools.answer(0);
    await exchange(1);
    tools.answer(requestsInFlightMax);
    await exchange(0, request("again", "tools/call", echo));
    expect(tools.calls.length).toBe(requestsInFlightMax + 1);
  });

  test("a tools that throws still gives one reply, and the rest of its chunk is served", async () => {
    const { exchange, tools } = await startSession("2025-06-18");
    tools.call = () => {
      throw new Error("defect");
    };
    const messages = [request(1, "tools/call", echo), request(2, "ping")];
    expect(await exchange(2, ...messages)).toEqual([
      error(1, -32603, "Internal error: defect"),
      result(2, {}),
    ]);
  });

  test.each([
    ["legacy", request],
    ["modern", modern],
  ])("nothing follows for the token of a %s request whose method threw", async (_era, create) => {
    const { exchange, tools, news } = await startSession("2025-06-18");
    let report: CallRequest["onProgress"];
    tools.call = (call) => {
      report = call.onProgress;
      throw new Error("defect");
    };
    await exchange(1, create(1, "tools/call", { ...echo, _meta: { progressToken: "t" } }));
    report?.("late");
    expect([typeof report, news()]).toEqual(["function", []]);
  });

  test("a tools that rejects still gives one reply", async () => {
    const { exchange, tools, transport } = await startSession("2025-06-18");
    transport.deliver(request(1, "tools/call", echo));
    tools.calls[0]?.outcome.reject(new Error("defect"));
    expect(await exchange(1)).toEqual([error(1, -32603, "Internal error: defect")]);
  });
});

describe("Dispatcher, cancellation", () => {
  const withToken = { ...echo, _meta: { progressToken: "t" } };
  test.each([
    ["legacy", request("c", "tools/call", withToken)],
    ["modern", modern("c", "tools/call", withToken)],
  ])("HP6: after cancelled nothing mentions a %s request", async (_era, call) => {
    const { exchange, tools, transport } = await startSession("2025-06-18");
    const sentBefore = transport.sent.length;
    transport.deliver(call, notification("notifications/cancelled", { requestId: "c" }));
    expect(tools.calls[0]?.request.cancellation.isCancelled).toBe(true);
    expect(tools.calls[0]?.request.onProgress).toBeFunction();
    tools.calls[0]?.request.onProgress?.("late");
    await tools.calls[0]?.outcome.promise;
    expect(await exchange(1, request("p", "ping"))).toEqual([result("p", {})]);
    expect(transport.sent.length).toBe(sentBefore + 1);
  });

  test("HP6: the id's type matters", async () => {
    const { exchange, tools, transport } = await startSession("2025-06-18");
    transport.deliver(
      request(1, "tools/call", echo),
      notification("notifications/cancelled", { requestId: "1" }),
    );
    tools.answer(0);
    expect(await exchange(1)).toEqual([result(1, { content: [] })]);
  });

  test("a cancelled id can be used again while its work winds up", async () => {
    const { exchange, tools, transport } = await startSession("2025-06-18");
    transport.deliver(
      request(1, "tools/call", echo),
      notification("notifications/cancelled", { requestId: 1 }),
      request(1, "tools/call", echo),
    );
    tools.answer(1, '{"n":2}');
    expect(await exchange(1)).toEqual([result(1, { n: 2 })]);
  });
});

describe("Dispatcher, batches", () => {
  test.each(["2024-11-05", "2025-06-18", "2025-11-25"])("HP11: none under %s", async (version) => {
    const { exchange } = await startSession(version);
    expect(await exchange(1, [request(1, "ping")])).toEqual([batchesRefused]);
  });

  test("HP11: none without a session", async () => {
    const { exchange } = startServer();
    expect(await exchange(2, [request(1, "ping")], [])).toEqual([batchesRefused, batchesRefused]);
  });

  test("HP11, KF2: answers a batch under 2025-03-26 with one array", async () => {
    const { exchange, tools, transport } = await startSession("2025-03-26");
    transport.deliver([
      request(1, "ping"),
      notification("notifications/whatever"),
      request(2, "tools/call", echo),
      5,
      [],
      { jsonrpc: "2.0", id: 9, result: {} },
      request(3, "initialize", { protocolVersion: "2025-11-25" }),
      modern(4, "tools/list"),
      request(1, "ping"),
      request(5, "no/such"),
    ]);
    tools.answer(0);
    expect(await exchange(1)).toEqual([
      [
        result(1, {}),
        error(undefined, -32600, "Invalid request: a message must be a JSON object"),
        error(undefined, -32600, "Invalid request: a batch must not hold a batch"),
        error(3, -32600, "Invalid request: initialize must be sent alone"),
        error(4, -32600, "Invalid request: send it alone, not in a batch"),
        error(undefined, -32600, "Invalid request: an id is twice in the batch"),
        error(5, -32601, "Method not found: no/such"),
        result(2, { content: [] }),
      ],
    ]);
    expect(await exchange(1, [request(6, "ping")])).toEqual([[result(6, {})]]);
  });

  test("HP11: an empty batch is one error, one without requests none", async () => {
    const { exchange } = await startSession("2025-03-26");
    const silent = [notification("notifications/whatever"), { jsonrpc: "2.0", id: 1, result: {} }];
    expect(await exchange(2, [], silent, request(1, "ping"))).toEqual([
      error(undefined, -32600, "Invalid request: a batch must not be empty"),
      result(1, {}),
    ]);
  });

  test.each([
    [batchElementsMax, true],
    [batchElementsMax + 1, false],
  ])("HP11: a batch of %d elements is answered: %p", async (length, isAnswered) => {
    const { exchange } = await startSession("2025-03-26");
    const [reply] = await exchange(
      1,
      Array.from({ length }, (_, id) => request(id, "ping")),
    );
    const message = `Invalid request: a batch must not have more than ${batchElementsMax} elements`;
    const refusal = error(undefined, -32600, message);
    expect(isAnswered ? (reply as unknown[]).length : reply).toEqual(isAnswered ? length : refusal);
  });

  test("HP11: replies that are too much for one message become errors with their ids", async () => {
    const { exchange, tools } = await startSession("2025-03-26");
    const long = JSON.stringify({ content: [], long: "x".repeat(batchReplyCharsMax / 2) });
    const replies = exchange(
      1,
      [1, 2, 3].map((id) => request(id, "tools/call", echo)),
    );
    for (const position of [0, 1, 2]) tools.answer(position, long);
    const [batch] = (await replies) as unknown as [{ id: number; error?: { code: number } }[]];
    expect(batch.map(({ id, error: fault }) => [id, fault?.code])).toEqual([
      [1, undefined],
      [2, -32603],
      [3, -32603],
    ]);
  });

  test("HP11: a cancelled element is left out, and a batch of them is silent", async () => {
    const { exchange, transport, tools } = await startSession("2025-03-26");
    const cancelled = notification("notifications/cancelled", { requestId: 1 });
    transport.deliver([request(1, "tools/call", echo)], cancelled);
    transport.deliver([request(1, "tools/call", echo), request(2, "ping")], cancelled);
    await Promise.all(tools.calls.map((call) => call.outcome.promise));
    expect(await exchange(1)).toEqual([[result(2, {})]]);
    expect(await exchange(1, request(3, "ping"))).toEqual([result(3, {})]);
  });
});
