import { afterAll, describe, expect, test } from "bun:test";
import { checkReply } from "../../scripts/bench/http/check-reply.ts";
import { headerOf, ReplyReader } from "../../scripts/bench/http/http-reply.ts";
import { beginSessions, passSessions } from "../../scripts/bench/http/idle-sessions.ts";
import { generateLoad } from "../../scripts/bench/http/load.ts";
import { type LoadPlan, parseLoadResult } from "../../scripts/bench/http/load-plan.ts";
import { encodeNotice, firstId, postEncoder } from "../../scripts/bench/http/request-text.ts";

const whole = 'HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nContent-Length: 8\r\n\r\n{"é":1}';

describe("ReplyReader", () => {
  test.each([
    ["at once", whole, [whole.length + 1]],
    ["in the head", whole, [20]],
    ["in the body", whole, [whole.length - 2]],
    ["byte by byte", whole, Array.from({ length: whole.length }, (_, index) => index + 1)],
  ])("reads a reply that comes %s", (_, text, cuts) => {
    const bytes = Buffer.from(text);
    const reader = new ReplyReader();
    const ends = [...cuts, bytes.length].filter((end) => end <= bytes.length);
    const replies = ends.map((end, index) =>
      reader.push(bytes.subarray(ends[index - 1] ?? 0, end)),
    );
    const reply = replies.at(-1) ?? replies.at(-2);
    expect(reply).toMatchObject({ status: 200, body: '{"é":1}' });
    expect(reply && headerOf(reply, "mcp-session-id")).toBe("s1");
  });

  test.each([
    ["without a length", "HTTP/1.1 200 OK\r\nDate: x\r\n\r\n", "Content-Length"],
    ["with more behind it", `${whole}HTTP`, "more than one reply"],
  ])("refuses a reply %s", (_, text, message) => {
    expect(() => new ReplyReader().push(Buffer.from(text))).toThrow(message);
  });

  test.each([
    ["two chunks", '6\r\n{"é":\r\n2\r\n1}\r\n0\r\n\r\n', '{"é":1}'],
    ["no chunk", "0\r\n\r\n", ""],
  ])("reads %s, byte by byte", (_, chunks, body) => {
    const reader = new ReplyReader();
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
    const replies = Array.from(bytes, (_byte, at) => reader.push(bytes.subarray(at, at + 1)));
    expect(replies.findIndex((reply) => reply !== undefined)).toBe(bytes.length - 1);
    expect(replies.at(-1)).toMatchObject({ status: 200, body });
  });

  test("204 has no body", () => {
    const reply = new ReplyReader().push(Buffer.from("HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n"));
    expect(reply).toMatchObject({ status: 204, body: "" });
  });
});

describe("requests", () => {
  const url = new URL("http://127.0.0.1:8808/mcp");

  test("postEncoder() counts its body and puts the id where it belongs", () => {
    const encode = postEncoder(url, { "mcp-name": "x" }, { method: "m", params: { a: "<id>!" } });
    const [head = "", body = ""] = encode(firstId).split("\r\n\r\n");
    expect(JSON.parse(body)).toEqual({
      jsonrpc: "2.0",
      id: firstId,
      method: "m",
      params: { a: "<id>!" },
    });
    expect(head.split("\r\n")).toEqual([
      "POST /mcp HTTP/1.1",
      "host: 127.0.0.1:8808",
      "accept: application/json, text/event-stream",
      "content-type: application/json",
      `content-length: ${body.length}`,
      "mcp-name: x",
    ]);
  });

  test("encodeNotice() has no id", () => {
    expect(encodeNotice(url, {}, "notifications/initialized")).toEndWith(
      '\r\n\r\n{"jsonrpc":"2.0","method":"notifications/initialized"}',
    );
  });
});

test.each([
  ["another status", 500, '{"jsonrpc":"2.0","id":7,"result":{}}'],
  ["another id", 200, '{"jsonrpc":"2.0","id":8,"result":{}}'],
  ["an error", 200, '{"jsonrpc":"2.0","id":7,"error":{"code":1}}'],
  ["a tool's failure", 200, '{"jsonrpc":"2.0","id":7,"result":{"isError":true}}'],
])("checkReply() refuses %s", (_, status, body) => {
  expect(() => checkReply({ status, head: "", body }, 7)).toThrow(body);
});

test("checkReply() takes the last event of a stream", () => {
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress"}';
  const answer = '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}';
  const body = `event: message\ndata: ${progress}\n\nevent: message\ndata: ${answer}\n\n`;
  expect(checkReply({ status: 200, head: "", body }, 7)).toEqual({ content: [] });
});

describe("against a server", () => {
  const seen: string[] = [];
  const ended: string[] = [];
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  afterAll(() => server.stop(true));

  async function answer(request: Request): Promise<Response> {
    const session = request.headers.get("mcp-session-id");
    if (request.method === "DELETE") {
      ended.push(session ?? "");
      return new Response(null, { status: 204 });
    }
    const { id, method } = (await request.json()) as { id?: number; method: string };
    seen.push(method);
    if (id === undefined) return new Response(null, { status: 202 });
    const headers = { "mcp-session-id": "s1" };
    return Response.json({ jsonrpc: "2.0", id, result: { content: [] } }, { headers });
  }

  function planFor(era: LoadPlan["era"], path = "/mcp"): LoadPlan {
    const url = new URL(path, server.url).href;
    return { url, era, call: { name: "t", args: {} }, clients: 4, warmUpCalls: 10, calls: 50 };
  }

  test.each([
    ["modern", { "tools/call": 60 }, []],
    [
      "legacy",
      { "tools/call": 60, initialize: 4, "notifications/initialized": 4 },
      ["s1", "s1", "s1", "s1"],
    ],
  ] as const)("generateLoad(): %s calls", async (era, methods, sessions) => {
    seen.length = ended.length = 0;
    const result = await generateLoad(planFor(era));
    expect(parseLoadResult(JSON.stringify(result))).toEqual(result);
    expect(result.latencyUs.n).toBe(50);
    const counts = Object.fromEntries(Map.groupBy(seen, (method) => method));
    const sizes = Object.entries(counts).map(([method, all]) => [method, all?.length]);
    expect(Object.fromEntries(sizes)).toEqual(methods);
    expect(ended).toEqual([...sessions]);
  });

  test("beginSessions() leaves them, passSessions() ends them", async () => {
    const url = new URL("/mcp", server.url);
    seen.length = ended.length = 0;
    await beginSessions(url, 40);
    expect([seen.filter((method) => method === "initialize").length, ended.length]).toEqual([
      40, 0,
    ]);
    await passSessions(url, 5);
    expect(ended.length).toBe(5);
  });
});

test("generateLoad() rejects when nobody listens", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const url = server.url.href;
  await server.stop(true);
  const plan = { url, era: "modern", call: { name: "t", args: {} } } as const;
  const load = generateLoad({ ...plan, clients: 1, warmUpCalls: 1, calls: 1 });
  expect(await load.catch((error: unknown) => error)).toBeInstanceOf(Error);
});

test("parseLoadResult() refuses what is none", () => {
  expect(() => parseLoadResult('{"callsPerSecond":"many"}')).toThrow("many");
});
