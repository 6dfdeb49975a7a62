import { describe, expect, test } from "bun:test";
import { Shares } from "../../../../src/base/turns.ts";
import {
  jsonValuesMax,
  messageDepthMax,
  messageLineBytesMax,
} from "../../../../src/base/limits.ts";
import {
  type BodyBounds,
  type BodyReading,
  createBodyBounds,
  readBody,
} from "../../../../src/server/transport/http/read-body.ts";
import { RawClient } from "./raw-client.ts";

const bounds: BodyBounds = { bytesMax: 100, msMax: 10_000, shares: new Shares(1_000) };
const json = { "content-type": "application/json" };

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null;

function post(body: Body, headers: Record<string, string> = json): Request {
  return new Request("http://localhost/mcp", { method: "POST", body, headers });
}

/** A body that comes in pieces and does not say its length. */
function pieces(...texts: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });
}

/** Reads it as an endpoint does. */
function read(request: Request): Promise<BodyReading> {
  return readBody(request, "a", createBodyBounds());
}

function value(parsed: unknown): BodyReading {
  return { kind: "value", value: parsed };
}

function refused(status: 400 | 413 | 415, message: string, code = -32600): BodyReading {
  return { kind: "refused", status, fault: { code, message } };
}

const wrongType = refused(
  415,
  "Invalid request: Content-Type must be application/json in UTF-8, without Content-Encoding",
);
const tooLong = refused(
  413,
  "Invalid request: the body is longer than 100 bytes: send less at once",
);
const notJson = refused(400, "Parse error: the body is not JSON", -32700);
const notUtf8 = refused(400, "Parse error: the body is not UTF-8", -32700);

describe("readBody(), content type", () => {
  test.each<[string | undefined, boolean]>([
    ["application/json", true],
    ["Application/JSON", true],
    ["application/json;charset=utf-8", true],
    ['application/json ; Charset = "UTF-8"', true],
    ["application/json; charset=utf8; x=y", true],
    ["application/json; version=1", true],
    ["application/json; charset=utf-16", false],
    ["application/json; charset=latin1", false],
    ["application/json; charset", false],
    ["application/jsonx", false],
    ["application/json, text/plain", false],
    ["application/vnd.api+json", false],
    ["text/json", false],
    ["text/plain", false],
    ["text/plain; application/json", false],
    ["application/x-www-form-urlencoded", false],
    ["multipart/form-data; boundary=x", false],
    ["", false],
    [undefined, false],
  ])("H05: %p is read: %p", async (contentType, isRead) => {
    const headers = contentType === undefined ? {} : { "content-type": contentType };
    // Bytes, because text would bring a content type of its own.
    const reading = await read(post(Buffer.from("1"), headers));
    expect(reading).toEqual(isRead ? value(1) : wrongType);
  });

  test.each([
    ["identity", value(1)],
    ["Identity", value(1)],
    ["gzip", wrongType],
    ["", wrongType],
  ])("Content-Encoding %p", async (encoding, expected) => {
    const reading = await read(post("1", { ...json, "content-encoding": encoding }));
    expect(reading).toEqual(expected);
  });
});

describe("readBody(), text", () => {
  test.each<[string, Body, BodyReading]>([
    ["an object", '{"a":1}', value({ a: 1 })],
    ["blanks around it", ' \r\n{"a":1}\n', value({ a: 1 })],
    ["beyond ASCII", '"é😀\u2028"', value("é😀\u2028")],
    ["an array", "[]", value([])],
    ["pieces", pieces('{"a"', ":1}"), value({ a: 1 })],
    ["a character in two pieces", pieces('"\\u00', 'e9"'), value("é")],
    ["nothing", "", notJson],
    ["no body", null, notJson],
    ["no pieces", pieces(), notJson],
    ["half an object", "{", notJson],
    ["two values", "1 2", notJson],
    ["two lines", "1\n2", notJson],
    ["a byte order mark", "\ufeff1", notJson],
    ["NUL", "\0", notJson],
    ["bad UTF-8", Buffer.from([0x22, 0xff, 0x22]), notUtf8],
    ["UTF-16", Buffer.from("\ufeff1", "utf16le"), notUtf8],
    ["an encoded surrogate", Buffer.from('"\xed\xa0\x80"', "latin1"), notUtf8],
  ])("H07: %s", async (_name, body, expected) => {
    expect(await readBody(post(body), "a", bounds)).toEqual(expected);
  });

  test.each<[number, BodyReading["kind"]]>([
    [messageDepthMax - 1, "value"],
    [messageDepthMax, "value"],
    [messageDepthMax + 1, "refused"],
    [100_000, "refused"],
  ])("H07: nesting of %d levels: %s", async (depth, kind) => {
    const reading = await read(post("[".repeat(depth) + "]".repeat(depth)));
    expect(reading.kind).toBe(kind);
  });

  test("H07: says what is wrong with a deep body", async () => {
    const reading = await read(post("[".repeat(100_000)));
    const message = `Invalid request: the body has more than ${messageDepthMax} levels`;
    expect(reading).toEqual(refused(400, message));
  });
});

test("readBody() refuses more values than may be parsed", async () => {
  const reading = await read(post(`[${"{},".repeat(jsonValuesMax)}0]`));
  const message = `Invalid request: the body has more than ${jsonValuesMax} values`;
  expect(reading).toEqual(refused(400, message));
});

describe("readBody(), size", () => {
  const text = (length: number): string => `"${"x".repeat(length - 2)}"`;

  test.each<[string, Request, BodyReading]>([
    ["at the limit", post(text(100)), value("x".repeat(98))],
    ["above it", post(text(101)), tooLong],
    ["at the limit, in pieces", post(pieces(text(100))), value("x".repeat(98))],
    ["above it, in pieces", post(pieces(text(100), " ")), tooLong],
    [
      "above it, endlessly",
      post(new ReadableStream({ pull: (one) => one.enqueue(Buffer.from("  ")) })),
      tooLong,
    ],
    ["above it, by its own account", post("1", { ...json, "content-length": "101" }), tooLong],
    [
      "two lengths",
      post(text(100), { ...json, "content-length": "100, 100" }),
      value("x".repeat(98)),
    ],
  ])("H08: a body %s", async (_name, request, expected) => {
    expect(await readBody(request, "a", bounds)).toEqual(expected);
  });

  test("H08: takes what stdio takes", async () => {
    const body = text(messageLineBytesMax);
    expect((await read(post(body))).kind).toBe("value");
    expect(await read(post(`${body} `))).toMatchObject({ kind: "refused", status: 413 });
  });

  test("a body that fails while it is read", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error("gone")),
    });
    const reading = await read(post(body));
    expect(reading).toEqual(refused(400, "Invalid request: the body could not be read: gone"));
  });
});

/** A server that reads one body within the bounds and answers with what it made of it. */
function listen(msMax: number): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      const reading = await readBody(request, "a", { ...bounds, msMax });
      if (reading.kind === "value") return Response.json(reading.value);
      return Response.json(reading.fault, { status: reading.status });
    },
  });
}

const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

describe("readBody(), over a connection", () => {
  test("a body that comes in time, whole or in chunks, and the next one on the same connection", async () => {
    using server = listen(60_000);
    using client = await RawClient.connect(Number(server.port));
    client.send(`${head}Content-Length: 7\r\n\r\n{"a":`);
    client.send("1}");
    expect(await client.receivedText('{"a":1}')).toStartWith("HTTP/1.1 200 ");
    client.send(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"b":\r\n2\r\n2}\r\n0\r\n\r\n`);
    await client.receivedText('{"b":2}');
  });

  test.each<[string, string]>([
    ["with a length", "Content-Length: 50\r\n\r\n{"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"],
  ])("H13: a body %s that does not come is answered with 408", async (_name, beginning) => {
    using server = listen(50);
    using client = await RawClient.connect(Number(server.port));
    client.send(head + beginning);
    const answer = await client.receivedText("did not arrive within 50 ms");
    expect(answer).toStartWith("HTTP/1.1 408 ");
  });

  test.each<[string, string]>([
    ["by its length", "Content-Length: 101\r\n\r\n"],
    ["in chunks", `Transfer-Encoding: chunked\r\n\r\n65\r\n${" ".repeat(101)}\r\n`],
  ])("H08: a body that is too long %s is refused before its end", async (_name, beginning) => {
    using server = listen(60_000);
    using client = await RawClient.connect(Number(server.port));
    client.send(head + beginning);
    expect(await client.receivedText("longer than 100 bytes")).toStartWith("HTTP/1.1 413 ");
  });

  test.each<[string, string]>([
    ["a bad chunk", "Transfer-Encoding: chunked\r\n\r\nzz\r\n1\r\n0\r\n\r\n"],
    [
      "a chunk that is longer than it says",
      "Transfer-Encoding: chunked\r\n\r\n1\r\n12\r\n0\r\n\r\n",
    ],
    [
      "a length and chunks",
      "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n",
    ],
    ["two lengths that differ", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n12"],
    ["a header of a megabyte", `X-Long: ${"x".repeat(1 << 20)}\r\n\r\n`],
  ])("U-http: %s ends the connection and never becomes two requests", async (_name, rest) => {
    using server = listen(60_000);
    using client = await RawClient.connect(Number(server.port));
    client.send(`${head}${rest}${head}Content-Length: 1\r\n\r\n2`);
    const answer = await client.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.split("HTTP/1.1 ")).toHaveLength(2);
  });

  test("a client that is gone before its body is whole harms nobody", async () => {
    using server = listen(60_000);
    using gone = await RawClient.connect(Number(server.port));
    gone.send(`${head}Content-Length: 50\r\n\r\n{`);
    gone[Symbol.dispose]();
    const next = await fetch(server.url, { method: "POST", body: "1", headers: json });
    expect(await next.json()).toBe(1);
  });
});
