import { describe, expect, test } from "bun:test";
import { parseRequestHead } from "../../../../src/web/guard/proxy/request-head.ts";

const head = (...lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;

describe("parseRequestHead()", () => {
  test.each([
    ["a.example:443", "a.example", 443],
    ["A.Example.:8443", "a.example", 8443],
    ["[::1]:80", "::1", 80],
    ["0x7f.1:80", "127.0.0.1", 80],
    ["[::ffff:127.0.0.1]:80", "::ffff:7f00:1", 80],
  ])("CONNECT %s", (target, host, port) => {
    expect(parseRequestHead(head(`CONNECT ${target} HTTP/1.1`, "Host: other.example"))).toEqual({
      kind: "connect",
      host,
      port,
      fields: [["Host", "other.example"]],
    });
  });

  test("a whole URL with a body of a known length", () => {
    const lines = [
      "POST http://A.example:81/b?c HTTP/1.1",
      "content-length: 3",
      "Content-Length: 3",
    ];
    expect(parseRequestHead(head(...lines))).toEqual({
      kind: "forward",
      method: "POST",
      url: new URL("http://a.example:81/b?c"),
      fields: [
        ["content-length", "3"],
        ["Content-Length", "3"],
      ],
      bodyBytes: 3,
    });
  });

  test.each<[status: number, ...lines: string[]]>([
    [400, ""],
    [400, "GET / HTTP/1.1"],
    [400, "GET https://a.example/ HTTP/1.1"],
    [400, "GET ftp://a.example/ HTTP/1.1"],
    [400, "GET http:a.example HTTP/1.1"],
    [400, "GET http://u:p@a.example/ HTTP/1.1"],
    [400, "GET http://a.example/ HTTP/2"],
    [400, "GET http://a.example/"],
    [400, "GET  http://a.example/ HTTP/1.1"],
    [400, "get http://a.example/ HTTP/1.1"],
    [400, "GET http://a.example/\nX: y HTTP/1.1"],
    [400, "CONNECT a.example HTTP/1.1"],
    [400, "CONNECT a.example:0 HTTP/1.1"],
    [400, "CONNECT a.example:99999 HTTP/1.1"],
    [400, "CONNECT u@a.example:443 HTTP/1.1"],
    [400, "CONNECT http://a.example:443 HTTP/1.1"],
    [400, "CONNECT ::1:443 HTTP/1.1"],
    [400, "GET http://a.example/ HTTP/1.1", "no colon"],
    [400, "GET http://a.example/ HTTP/1.1", "Blank : before"],
    [400, "GET http://a.example/ HTTP/1.1", "Folded: a", " b"],
    [400, "GET http://a.example/ HTTP/1.1", "Bare: a\nb"],
    [400, "GET http://a.example/ HTTP/1.1", "Bare: a\rb"],
    [400, "GET http://a.example/ HTTP/1.1", "Nul: a\0b"],
    [400, "GET http://a.example/ HTTP/1.1", ": empty"],
    [400, "POST http://a.example/ HTTP/1.1", "Content-Length: 3", "Content-Length: 4"],
    [400, "POST http://a.example/ HTTP/1.1", "Content-Length: 3, 4"],
    [400, "POST http://a.example/ HTTP/1.1", "Content-Length: -3"],
    [400, "POST http://a.example/ HTTP/1.1", "Content-Length: 0x3"],
    [400, "POST http://a.example/ HTTP/1.1", "Content-Length: 3", "Transfer-Encoding: chunked"],
    [411, "POST http://a.example/ HTTP/1.1", "Transfer-Encoding: chunked"],
    [501, "POST http://a.example/ HTTP/1.1", "Transfer-Encoding: gzip, chunked"],
    [501, "POST http://a.example/ HTTP/1.1", "Transfer-Encoding: xchunked"],
  ])("answers %d to %p %p", (status, ...lines) => {
    expect(parseRequestHead(head(...lines))).toMatchObject({ kind: "bad", status });
  });
});
