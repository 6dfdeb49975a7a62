import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { eventually } from "./harness/conditions.ts";
import { mirrored, modernMessage, onlyMessage, readAnswer } from "./harness/http-client.ts";
import { RawConnection, rawPost } from "./harness/http-raw.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";

setDefaultTimeout(testMsMax);

const mebibyte = 1024 * 1024;
/** What a body may have (docs/http.md). */
const bodyBytesMax = 16 * mebibyte + 64 * 1024;

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start({ turn: "connection" });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The server answers others as ever. */
async function expectServing(): Promise<void> {
  expect((await server.modern("tools/list")).status).toBe(200);
}

let lastMark = 0;

/** A call that would leave a file, as head lines and body; `hasRun` tells whether it did. */
function markingCall(): { headers: string[]; body: string; hasRun: () => boolean } {
  lastMark += 1;
  const mark = server.home.at(`mark-${lastMark}`);
  const params = { name: "Bash", arguments: { command: `touch ${mark}` } };
  const message = modernMessage(1, "tools/call", params);
  const mirror = Object.entries(mirrored(message)).map(([name, value]) => `${name}: ${value}`);
  const headers = ["Content-Type: application/json", ...mirror];
  return { headers, body: JSON.stringify(message), hasRun: () => existsSync(mark) };
}

describe("U-http: one length for each request", () => {
  const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  test.each<[string, (body: string) => readonly string[], (body: string) => string]>([
    [
      "length and chunks",
      (b) => [`Content-Length: ${b.length}`, "Transfer-Encoding: chunked"],
      chunked,
    ],
    [
      "chunks and length",
      (b) => ["Transfer-Encoding: chunked", `Content-Length: ${b.length}`],
      chunked,
    ],
    ["two lengths", (b) => [`Content-Length: ${b.length}`, "Content-Length: 2"], (b) => b],
    ["a signed length", (b) => [`Content-Length: +${b.length}`], (b) => b],
    ["a negative length", () => ["Content-Length: -1"], (b) => b],
    ["a length in hexadecimal", (b) => [`Content-Length: 0x${b.length.toString(16)}`], (b) => b],
    ["a list of lengths", (b) => [`Content-Length: ${b.length}, ${b.length}`], (b) => b],
    ["a length beyond numbers", () => [`Content-Length: ${"9".repeat(40)}`], (b) => b],
    ["another coding", () => ["Transfer-Encoding: gzip, chunked"], chunked],
    ["the same coding twice", () => ["Transfer-Encoding: chunked, chunked"], chunked],
    ["no size of a chunk", () => ["Transfer-Encoding: chunked"], (b) => `zz\r\n${b}\r\n0\r\n\r\n`],
    [
      "a chunk beyond numbers",
      () => ["Transfer-Encoding: chunked"],
      (b) => `${"f".repeat(17)}\r\n${b}`,
    ],
    [
      "a chunk of another size",
      () => ["Transfer-Encoding: chunked"],
      (b) => `5\r\n${b}\r\n0\r\n\r\n`,
    ],
    ["a folded header", (b) => [`Content-Length: ${b.length}`, "X-A: b\r\n c"], (b) => b],
    ["a blank before the colon", (b) => [`Content-Length : ${b.length}`], (b) => b],
    ["a NUL in a header", (b) => [`Content-Length: ${b.length}`, "X-A: b\0c"], (b) => b],
  ])("[http.framing] %s: refused and closed, nothing runs", async (_, lengths, bodyOf) => {
    const { headers, body, hasRun } = markingCall();
    using connection = new RawConnection(server.url);
    connection.write(rawPost(server.url, [...headers, ...lengths(body)], bodyOf(body)));
    await connection.closed();
    expect(connection.statuses.filter((status) => status !== 400)).toEqual([]);
    expect(connection.statuses.length).toBeLessThanOrEqual(1);
    expect(hasRun()).toBe(false);
    await expectServing();
  });

  test("[http.framing] chunks, slow pieces and two requests in one write are fine", async () => {
    const { headers, body, hasRun } = markingCall();
    using connection = new RawConnection(server.url);
    const bytes = rawPost(server.url, [...headers, "Transfer-Encoding: chunked"], chunked(body));
    for (const piece of [bytes.slice(0, 7), bytes.slice(7, -9), bytes.slice(-9)]) {
      connection.write(piece);
      await Bun.sleep(20);
    }
    expect(await connection.status()).toBe(200);
    expect(hasRun()).toBe(true);
    using pair = new RawConnection(server.url);
    // What is answered at once: Bun.serve loses pipelined requests whose answers take time (docs/http.md).
    const message = modernMessage(1, "server/discover");
    const discover = JSON.stringify(message);
    const mirror = Object.entries(mirrored(message)).map((row) => row.join(": "));
    const one = rawPost(
      server.url,
      ["Content-Type: application/json", ...mirror, `Content-Length: ${discover.length}`],
      discover,
    );
    pair.write(one + one);
    await pair.status();
    await pair.until("two answers", () => pair.statuses.length === 2);
    expect(pair.statuses).toEqual([200, 200]);
  });
});

describe("U-http: requests before the answer to the one before", () => {
  /** A call that leaves its number in a file, and how often it did. */
  function countedCall(log: string, n: number, seconds: number): string {
    const command = `echo ${n} >>${log}; sleep ${seconds}`;
    const message = modernMessage(n, "tools/call", { name: "Bash", arguments: { command } });
    const body = JSON.stringify(message);
    const mirror = Object.entries(mirrored(message)).map((row) => row.join(": "));
    const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    return rawPost(server.url, [...headers, ...mirror], body);
  }

  test.each([
    ["in one write", true, 0],
    ["in one write, behind a slow one", true, 1],
    ["while a slow one is under way", false, 1],
  ])("[http.pipelining] %s: answered in order, or closed and never run", async (_, isOne, slow) => {
    const log = server.home.at(`pipelined-${(lastMark += 1)}`);
    const ran = (): number[] =>
      existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(Number) : [];
    const [first, ...rest] = [1, 2, 3, 4].map((n) => countedCall(log, n, n === 1 ? slow : 0));
    using connection = new RawConnection(server.url);
    if (isOne) {
      connection.write([first, ...rest].join(""));
    } else {
      connection.write(first ?? "");
      await eventually("the first call", () => ran().length === 1);
      connection.write(rest.join(""));
    }
    const ids = (): number[] =>
      [...connection.text.matchAll(/"jsonrpc":"2\.0","id":(\d)/g)].map(([, id]) => Number(id));
    await connection.until("four answers, or the end", () => ids().length === 4);
    // Whatever was still begun for this connection was begun before this one is answered.
    const after = { name: "Bash", arguments: { command: "true" } };
    expect((await server.modern("tools/call", after)).status).toBe(200);
    const answered = ids().length;
    expect(ids()).toEqual([1, 2, 3, 4].slice(0, answered));
    // The first may have begun before the connection was closed; of the others only those that were answered.
    const begun = ran();
    expect(begun).toEqual([1, 2, 3, 4].slice(0, begun.length));
    expect(begun.length).toBeWithin(answered, Math.max(answered, 1) + 1);
  });
});

describe("U-http: heads", () => {
  test.each([
    ["a header of 1 MB", `X-A: ${"a".repeat(mebibyte)}`],
    [
      "a thousand headers",
      Array.from({ length: 1_000 }, (_, n) => `X-${n}: ${"a".repeat(40)}`).join("\r\n"),
    ],
  ])("[http.head-size] %s is 431 and closed", async (_, header) => {
    using connection = new RawConnection(server.url);
    connection.write(rawPost(server.url, [header, "Content-Length: 2"], "{}"));
    await connection.closed();
    // A server that closes before all was sent may have its answer lost on the way.
    expect([[431], []]).toContainEqual(connection.statuses);
    await expectServing();
  });

  test.each([
    "nonsense\r\n\r\n",
    "\0\0\0\0",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01",
  ])("[http.head-size] %p is no request", async (bytes) => {
    using connection = new RawConnection(server.url);
    connection.write(`${bytes}\r\n\r\n`);
    await connection.closed();
    expect(connection.statuses.filter((status) => status < 400)).toEqual([]);
    await expectServing();
  });
});

describe("H07, H08: bodies", () => {
  const headers = mirrored(modernMessage(1, "tools/list"));

  /** Status and code of the answer to a body of any kind. */
  async function outcomeOf(body: string | Uint8Array): Promise<readonly unknown[]> {
    const response = await server.client.fetch({ headers, body });
    const answer = await readAnswer(response, server.client.newCheck());
    return [answer.status, answer.messages[0]?.error?.code];
  }

  const nested = (depth: number, open: string, close: string): string =>
    open.repeat(depth) + close.repeat(depth);

  test.each<[string, string | Uint8Array]>([
    ["invalid UTF-8", Uint8Array.of(0x22, 0xff, 0xfe, 0x22)],
    ["half of a character", Uint8Array.of(0x22, 0xf0, 0x9f, 0x92)],
    ["a surrogate in UTF-8", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ["UTF-16", Buffer.from('{"jsonrpc":"2.0"}', "utf16le")],
    ["two values", "{}{}"],
    ["NaN", '{"jsonrpc":"2.0","id":NaN}'],
    ["a comment", '{"jsonrpc":"2.0" /* */}'],
  ])("[http.body] %s is -32700", async (_, body) => {
    expect(await outcomeOf(body)).toEqual([400, -32700]);
    await expectServing();
  });

  test.each([
    ["arrays 100,000 deep", nested(100_000, "[", "]")],
    ["arrays never closed", "[".repeat(100_000)],
    ["objects 100,000 deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ])("[http.body] %s are -32600", async (_, body) => {
    expect(await outcomeOf(body)).toEqual([400, -32600]);
    await expectServing();
  });

  test("[http.body] arguments nested to the limit and no deeper", async () => {
    // The message around them has three levels.
    const call = (depth: number): string =>
      JSON.stringify(modernMessage(1, "tools/list", { x: "X" })).replace(
        '"X"',
        nested(depth, "[", "]"),
      );
    expect(await outcomeOf(call(998))).toEqual([200, undefined]);
    expect(await outcomeOf(call(999))).toEqual([400, -32600]);
  });

  test("[http.body-size] 16 MiB of content are served", async () => {
    const command = `wc -c <<'END'\n${"x".repeat(16 * mebibyte)}\nEND`;
    const answer = await server.modern("tools/call", { name: "Bash", arguments: { command } });
    expect(answer.status).toBe(200);
    expect(onlyMessage(answer)).not.toHaveProperty("error");
  });

  test.each([
    ["by its length", false],
    ["in chunks", true],
  ])("[http.body-size] more is 413: %s", async (_, isChunked) => {
    const body = JSON.stringify(modernMessage(1, "tools/list", { x: "x".repeat(bodyBytesMax) }));
    using connection = new RawConnection(server.url);
    const head = ["Content-Type: application/json"];
    if (isChunked) {
      connection.write(rawPost(server.url, [...head, "Transfer-Encoding: chunked"]));
      connection.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    } else {
      connection.write(rawPost(server.url, [...head, `Content-Length: ${body.length}`]));
    }
    expect(await connection.status()).toBe(413);
    await connection.closed();
    await expectServing();
  });

  test("[http.body-size] ten bodies of 64 MB at once do no harm", async () => {
    // A balancer that goes on sending loses the answer to the reset.
    await using server = await HttpServer.start({ isAlone: true });
    const attempts = Array.from({ length: 10 }, async () => {
      using connection = new RawConnection(server.url);
      const head = ["Content-Type: application/json", `Content-Length: ${64 * mebibyte}`];
      connection.write(rawPost(server.url, head, "x".repeat(mebibyte)));
      return await connection.status();
    });
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => 413));
    expect((await server.modern("tools/list")).status).toBe(200);
  });

  test("[http.body] a key __proto__ changes nothing", async () => {
    const message = modernMessage(1, "tools/call", {
      name: "Bash",
      arguments: { command: "echo a" },
    });
    const body = JSON.stringify(message).replace(
      '"command"',
      '"__proto__":{"timeout":1},"command"',
    );
    const response = await server.client.fetch({ headers: mirrored(message), body });
    const reply = onlyMessage(await readAnswer(response, server.client.newCheck()));
    expect(textOf(reply)).toContain("__proto__");
  });
});
