import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { sseWaitingBytesMax } from "../../../src/base/limits.ts";
import { legacyVersions } from "../../../src/protocol/message.ts";
import { until } from "../../commands/process/until.ts";
import { error, modern, request, result } from "../harness.ts";
import { startEndpoint } from "./endpoint-fixture.ts";
import { initializeOf, PairClient } from "./pair-client.ts";

const ssePair = { stream: "/sse", messages: "/messages" };
const json = { "content-type": "application/json" };
const call = (id: unknown, name = "Echo"): object =>
  request(id, "tools/call", { name, arguments: {} });

/** The status and the code of the error. */
async function refusalOf(response: Response | Promise<Response>): Promise<[number, unknown]> {
  const settled = await response;
  const body = (await settled.json()) as { error?: { code?: number } };
  return [settled.status, body.error?.code];
}

describe("SsePair: the stream", () => {
  test("begins with where to send messages: a path with the id of the session", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.open(fixture, { accept: "text/event-stream" });
    expect(client.response.status).toBe(200);
    expect(client.response.headers.get("content-type")).toBe("text/event-stream");
    expect(client.response.headers.get("cache-control")).toContain("no-cache");
    expect(client.text).toMatch(/^event: endpoint\ndata: \/messages\?session=[\w-]{32}\n\n$/);
  });

  test.each([
    ["GET", "/sse", { accept: "application/json" }, 406, -32600],
    ["GET", "/sse", { accept: "text/event-stream;q=0" }, 406, -32600],
    ["POST", "/sse", json, 405, -32600],
    ["DELETE", "/sse", {}, 405, -32600],
    ["GET", "/messages?session=x", {}, 405, -32600],
    ["GET", "/sse", { origin: "http://evil.example" }, 403, -32600],
    ["POST", "/messages?session=x", { origin: "http://evil.example" }, 403, -32600],
    ["GET", "/sse", { host: "evil.example" }, 403, -32600],
    ["POST", "/messages", json, 400, -32600],
    ["POST", "/messages?sessionId=x", json, 400, -32600],
    ["POST", "/messages?session=x", json, 404, -32600],
    ["POST", "/messages?session=", json, 404, -32600],
    ["POST", "/messages?session=%ff%", json, 404, -32600],
  ])("%s %s with %p is %d", async (method, path, headers, status, code) => {
    using fixture = startEndpoint({ ssePair });
    const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : undefined;
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    expect(await refusalOf(fixture.fetch(path, init))).toEqual([status, code]);
  });

  test.each(["/sse", "/messages"])("%s is nothing where it was not asked for", async (path) => {
    using fixture = startEndpoint();
    expect(await refusalOf(fixture.fetch(path))).toEqual([404, -32600]);
  });

  test("pages that were allowed may read it, and ask before", async () => {
    using fixture = startEndpoint({ ssePair });
    const origin = "https://app.example.com";
    for (const [path, method] of [
      ["/sse", "GET"],
      ["/messages", "OPTIONS"],
    ] as const) {
      const { headers } = await fixture.fetch(path, { method, headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
    }
  });
});

describe("SsePair: messages", () => {
  test.each(legacyVersions)("a session of %s", async (version) => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.open(fixture);
    const [opening] = await client.exchange(1, initializeOf(version));
    expect(opening).toMatchObject({ id: "init", result: { protocolVersion: version } });
    const accepted = await client.post(request(1, "ping"));
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
    expect(await client.next(1)).toEqual([result(1, {})]);
    expect(await client.exchange(1, request(2, "x/y"))).toEqual([
      error(2, -32601, "Method not found: x/y"),
    ]);
  });

  test("before initialize there is a hint, also for a modern request", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.open(fixture);
    const replies = [
      ...(await client.exchange(1, request(1, "tools/list"))),
      ...(await client.exchange(1, modern(2, "server/discover"))),
    ];
    const hint = { code: -32600, message: expect.stringContaining("send initialize first") };
    expect(replies).toEqual([
      { jsonrpc: "2.0", id: 1, error: hint },
      { jsonrpc: "2.0", id: 2, error: hint },
    ]);
  });

  test("the result of a call comes on the stream, whenever it is there", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture);
    expect((await client.post(call(1))).status).toBe(202);
    expect((await client.post(call("1"))).status).toBe(202);
    expect(await client.exchange(1, request(2, "ping"))).toEqual([result(2, {})]);
    fixture.tools.answer(1, '{"content":[{"type":"text","text":"second"}]}');
    fixture.tools.answer(0);
    expect(await client.next(2)).toEqual([
      result("1", { content: [{ type: "text", text: "second" }] }),
      result(1, { content: [] }),
    ]);
  });

  test("notifications/cancelled ends the work, and nothing follows", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture);
    await client.post(call(1));
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled" };
    await client.post({ ...cancelled, params: { requestId: 1 } });
    expect(fixture.tools.calls[0]?.request.cancellation.isCancelled).toBe(true);
    expect(await client.exchange(1, request(2, "ping"))).toEqual([result(2, {})]);
  });

  test.each<[string, unknown, Record<string, string>, number, number]>([
    ["no JSON", "{", {}, 400, -32700],
    ["no message", {}, {}, 400, -32600],
    ["a batch", [request(1, "ping")], {}, 400, -32600],
    ["another content type", request(1, "ping"), { "content-type": "text/plain" }, 415, -32600],
    ["another revision", request(1, "ping"), { "mcp-protocol-version": "2025-06-18" }, 400, -32600],
    ["no revision", request(1, "ping"), { "mcp-protocol-version": "x" }, 400, -32600],
  ])("%s is refused where it was sent", async (_, message, headers, status, code) => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture);
    expect(await refusalOf(client.post(message, headers))).toEqual([status, code]);
    expect(await client.exchange(1, request(9, "ping"))).toEqual([result(9, {})]);
  });

  test("a batch of 2025-03-26 is answered by one message", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture, "2025-03-26");
    const batch = [request(1, "ping"), request(2, "x"), { jsonrpc: "2.0", method: "y" }];
    expect(await client.exchange(1, batch)).toEqual([
      [result(1, {}), error(2, -32601, "Method not found: x")],
    ]);
  });

  test("a tool that scopes do not allow is refused before anything runs", async () => {
    const refuseTool = (_: unknown, name: string): Response | undefined =>
      name === "Bash" ? Response.json({}, { status: 403 }) : undefined;
    using fixture = startEndpoint({ ssePair, refuseTool });
    const client = await PairClient.initialize(fixture);
    expect((await client.post(call(1, "Bash"))).status).toBe(403);
    expect((await client.post(call(1, "Echo"))).status).toBe(202);
    expect(fixture.tools.calls.map(({ request: { name } }) => name)).toEqual(["Echo"]);
  });

  test("whatever is posted is taken or refused, and the session goes on", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture, "2025-03-26");
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom("ping", "initialize", "2.0", null));
    const message = fc.record(
      { jsonrpc: fc.constant("2.0"), id: member, method: member, params: member, result: member },
      { requiredKeys: [] },
    );
    const anything = fc.oneof(fc.jsonValue(), message, fc.array(message, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        expect([202, 400]).toContain((await client.post(JSON.stringify(value))).status);
      }),
      { numRuns: 200 },
    );
    await client.post(initializeOf("2024-11-05"));
    await client.post(request("last", "ping"));
    await until(() => client.text.endsWith('data: {"jsonrpc":"2.0","id":"last","result":{}}\n\n'));
  });
});

describe("SsePair: sessions", () => {
  test("the end of the stream is the session's", async () => {
    using fixture = startEndpoint({ ssePair });
    const [client, other] = [
      await PairClient.initialize(fixture),
      await PairClient.initialize(fixture),
    ];
    await client.post(call(1));
    await other.post(call(1));
    await client.close();
    const cancelled = fixture.tools.calls.map(
      ({ request: { cancellation } }) => cancellation.isCancelled,
    );
    expect(cancelled).toEqual([true, false]);
    expect(fixture.endedIds).toEqual([`session:${client.sessionId}`]);
    expect(await refusalOf(client.post(request(2, "ping")))).toEqual([404, -32600]);
    expect(await other.exchange(1, request(2, "ping"))).toEqual([result(2, {})]);
  });

  test.each([
    [-1, 0],
    [0, 1],
    [1, 1],
  ])("when the bound and %d characters wait, the next event ends %d", async (more, ended) => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture);
    await client.stopReading();
    const around = 'event: message\ndata: {"jsonrpc":"2.0","id":"","result":{}}\n\n'.length;
    const id = "x".repeat(sseWaitingBytesMax + more - around);
    expect((await client.post(request(id, "ping"))).status).toBe(202);
    expect(fixture.endedIds).toEqual([]);
    expect((await client.post(request(1, "ping"))).status).toBe(202);
    expect(fixture.endedIds).toHaveLength(ended);
  });

  test("it is there for the principal that opened it, and for no other", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture, "2024-11-05", { authorization: "one" });
    const foreign = client.post(request(1, "ping"), { authorization: "other" });
    expect(await refusalOf(foreign)).toEqual([404, -32600]);
    expect(await client.exchange(1, request(2, "ping"))).toEqual([result(2, {})]);
  });

  test("its id names no session of Streamable HTTP, and the other way round", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture);
    const headers = { "mcp-session-id": client.sessionId };
    expect(await refusalOf(client.post(request(1, "ping"), headers, "/mcp"))).toEqual([
      404, -32600,
    ]);
    const opening = await client.post(initializeOf("2025-11-25"), {}, "/mcp");
    const uri = `/messages?session=${opening.headers.get("mcp-session-id")}`;
    expect(await refusalOf(client.post(request(1, "ping"), {}, uri))).toEqual([404, -32600]);
  });

  test("sessions of both kinds are counted together", async () => {
    using fixture = startEndpoint({ ssePair, sessionsMax: 2 });
    const client = await PairClient.initialize(fixture);
    const begin = (): Promise<Response> => client.post(initializeOf("2025-11-25"), {}, "/mcp");
    expect((await begin()).status).toBe(200);
    for (const full of [await begin(), await fixture.fetch("/sse")]) {
      expect([full.status, full.headers.get("retry-after")]).toEqual([503, "60"]);
    }
    await client.post(call(1));
    expect(fixture.endpoint.figures).toEqual({ sessions: 2, requestsInFlight: 1, eventChars: 0 });
    await client.close();
    expect((await begin()).status).toBe(200);
  });

  test("one that nobody has begun gives its place away, when it is idle", async () => {
    // Every session counts as unused for long.
    using fixture = startEndpoint({ ssePair, sessionsMax: 1, idleMsMax: -1_000 });
    const stray = await PairClient.open(fixture);
    const client = await PairClient.initialize(fixture);
    await until(() => stray.isEnded);
    expect(fixture.endedIds).toEqual([`session:${stray.sessionId}`]);
    expect((await fixture.fetch("/sse")).status).toBe(503);
    expect(await client.exchange(1, request(2, "ping"))).toEqual([result(2, {})]);
  });

  test("while the server goes, what is under way finishes and nothing new begins", async () => {
    using fixture = startEndpoint({ ssePair });
    const client = await PairClient.initialize(fixture);
    await client.post(call(1));
    const drained = fixture.endpoint.drain();
    for (const refused of [await client.post(call(2)), await fixture.fetch("/sse")]) {
      expect(refused.status).toBe(503);
    }
    fixture.tools.answer(0);
    await drained;
    fixture.endpoint.close();
    expect(await client.next(1)).toEqual([result(1, { content: [] })]);
    await until(() => client.isEnded);
  });
});
