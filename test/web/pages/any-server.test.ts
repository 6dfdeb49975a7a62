import { expect, test } from "bun:test";
import fc from "fast-check";

import { AppError } from "../../../src/base/errors.ts";
import { never, PageHarness, RawServer } from "./page-harness.ts";

const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      "Content-Type: text/html",
      "Content-Type: ;;",
      "Content-Type: application/pdf",
      "Content-Type: text/html; charset=utf-7",
      "Content-Length: 5",
      "Content-Length: 5, 5",
      "Content-Length: -1",
      "Content-Length: 99999999999999999999",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: gzip, chunked",
      "Content-Encoding: gzip",
      "Content-Encoding: br",
      "Content-Encoding: zstd",
      "Content-Encoding: unheard-of",
      "Location: /again",
      "Location: http://[",
      "Location: //",
      "Retry-After: 99999999999999999999",
      "Content-Disposition: attachment; filename*=UTF-8''%ff%",
      "ETag: \u00ff\u0001",
      "Connection: close",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(": nameless", "\u0000", "no colon", " folded") },
  { weight: 1, arbitrary: fc.string({ unit: "binary-ascii", maxLength: 30 }) },
);

const status = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("HTTP/1.1 200 OK", "HTTP/1.0 404 Not Found", "HTTP/1.1 302 Found"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "HTTP/1.1 103 Early Hints",
      "HTTP/1.1 101 Switching Protocols",
      "HTTP/1.1 999 ",
      "HTTP/1.1 20",
      "HTTP/2 200",
      "ICY 200 OK",
      "",
    ),
  },
);

const body = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.constantFrom(
    Buffer.from("5\r\nhello\r\n0\r\n\r\n"),
    Buffer.from("ffffffffffffffffff\r\nx"),
    Buffer.from("zz\r\n"),
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff]),
    Buffer.from("%PDF-1.4\n\x00"),
  ),
);

test("whatever a server writes becomes a page or a failure that says why, and never hangs", async () => {
  let answer: Uint8Array = new Uint8Array();
  await using server = await RawServer.start((socket) => socket.end(answer));
  await using harness = new PageHarness(() => new Response("unused"), { msMax: 5_000 });
  const seen = { pages: 0, failures: 0 };
  await fc.assert(
    fc.asyncProperty(status, fc.array(line, { maxLength: 5 }), body, async (first, lines, rest) => {
      const head = `${[first, ...lines].join("\r\n")}\r\n\r\n`;
      answer = Buffer.concat([Buffer.from(head, "latin1"), rest]);
      harness.now += 15 * 60_000;
      try {
        const page = await harness.page(server.url, never);
        seen.pages++;
        expect(page.contentType).not.toBe("");
        expect(page.status).toBeGreaterThanOrEqual(100);
      } catch (error) {
        seen.failures++;
        expect(error).toBeInstanceOf(AppError);
        expect((error as AppError).message).toEndWith(".");
      }
    }),
    { numRuns: 300, endOnFailure: true },
  );
  // Both ways are taken often.
  expect(Math.min(seen.pages, seen.failures)).toBeGreaterThan(30);
}, 60_000);
