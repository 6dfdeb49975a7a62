import { describe, expect, test } from "bun:test";
import { parseResponseHead } from "../../../../src/web/guard/proxy/serve-client.ts";

const read = (text: string): unknown => {
  const head = parseResponseHead(text);
  return head.kind === "bad"
    ? head.reason
    : [head.kind, head.status, head.bytes.toString("latin1")];
};

describe("parseResponseHead()", () => {
  test("passes on what is not of the connection, and ends ours", () => {
    const text =
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n" +
      "Transfer-Encoding: chunked\r\nUpgrade: h2c\r\nProxy-Authenticate: Basic\r\nX-Scorpiox-Refused: 1\r\nX: \xe9\r\n\r\n";
    expect(read(text)).toEqual([
      "final",
      200,
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\nX: \xe9\r\nConnection: close\r\n\r\n",
    ]);
  });

  test.each([
    ["HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "interim", 103],
    ["HTTP/1.1 100\r\n\r\n", "interim", 100],
    ["HTTP/1.0 404 Not Found\r\n\r\n", "final", 404],
    ["HTTP/1.1 200 OK\nX: y\n\n", "final", 200],
    ["HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\r\n", "final", 200],
  ])("%p", (text, kind, status) => {
    expect(parseResponseHead(text)).toMatchObject({ kind, status });
  });

  test.each([
    ["SSH-2.0-x\r\n\r\n", "its response is not HTTP"],
    ["HTTP/2 200\r\n\r\n", "its response is not HTTP"],
    ["HTTP/1.1 999 X\r\n\r\n", "its response is not HTTP"],
    ["HTTP/1.1 200 a\rb\r\n\r\n", "its response is not HTTP"],
    ["HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "its response is not HTTP"],
    ["HTTP/1.1 200 OK\r\nNul: a\0\r\n\r\n", "its response is not HTTP"],
    ["HTTP/1.1 101 Switching Protocols\r\n\r\n", "it answered 101"],
    ["HTTP/1.1 407 Proxy\r\n\r\n", "it answered 407"],
  ])("%p is not passed on", (text, reason) => {
    expect(read(text)).toBe(reason);
  });
});
