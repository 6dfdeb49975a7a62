import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { readHead, type HeadRead } from "../../../../src/web/guard/proxy/request-head.ts";

type Kind = "strict" | "lenient";

/** What is read of a socket that gives `parts`, each as a chunk of its own, and then ends. */
function readParts(parts: readonly Buffer[], emptyLine: Kind, before?: Buffer): Promise<HeadRead> {
  const stream = new PassThrough({ allowHalfOpen: false });
  // A head is read by what every stream has; in a stream of one's own the chunks are certain.
  const reading = readHead(
    stream as unknown as Socket,
    { bytesMax: 64, msMax: 4_000, emptyLine },
    before,
  );
  for (const part of parts) stream.emit("data", part);
  stream.emit("end");
  return reading;
}

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const head = (text: string, rest = ""): HeadRead => ({ kind: "head", text, rest: latin(rest) });

describe("readHead()", () => {
  test("takes the same head out of any chunks", async () => {
    const all = "GET / HTTP/1.1\r\nX: \xe9\r\n\r\nrest\r\n\r\nmore";
    const end = all.indexOf("\r\n\r\n") + 4;
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: all.length - 1 }));
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const borders = [0, ...places.sort((a, b) => a - b), all.length];
        const parts = borders.slice(1).map((to, n) => latin(all.slice(borders[n], to)));
        const read = await readParts(parts, "strict");
        if (read.kind !== "head") throw new Error(read.kind);
        expect(read.text).toBe(all.slice(0, end));
        expect(all.slice(end)).toStartWith(read.rest.toString("latin1"));
      }),
    );
  });

  test.each<[name: string, parts: string[], kind: Kind, result: HeadRead]>([
    ["bare LF, strictly", ["a\n\nb"], "strict", { kind: "closed" }],
    ["bare LF, leniently", ["a\n\nb"], "lenient", head("a\n\n", "b")],
    ["LF and CRLF", ["a\n\r", "\nb"], "lenient", head("a\n\r\n", "b")],
    ["CRLF, leniently", ["a\r\n\r", "\nb"], "lenient", head("a\r\n\r\n", "b")],
    ["64 bytes", [`${"a".repeat(60)}\r\n\r\n`], "strict", head(`${"a".repeat(60)}\r\n\r\n`)],
    ["65 bytes", [`${"a".repeat(61)}\r\n\r\n`], "strict", { kind: "too_large" }],
    ["65 bytes without end", ["a".repeat(65)], "strict", { kind: "too_large" }],
    ["64 bytes without end", ["a".repeat(64)], "strict", { kind: "closed" }],
    ["nothing", [], "strict", { kind: "closed" }],
  ])("%s", async (_name, parts, kind, result) => {
    expect(await readParts(parts.map(latin), kind)).toEqual(result);
  });

  test("begins with what came before", async () => {
    expect(await readParts([], "strict", latin("a\r\n\r\nb"))).toEqual(head("a\r\n\r\n", "b"));
    expect(await readParts([latin("\nb")], "strict", latin("a\r\n\r"))).toEqual(
      head("a\r\n\r\n", "b"),
    );
  });

  test("gives up on a head that does not come", async () => {
    const stream = new PassThrough() as unknown as Socket;
    const limits = { bytesMax: 64, msMax: 10, emptyLine: "strict" } as const;
    expect(await readHead(stream, limits)).toEqual({ kind: "timeout" });
    expect(stream.isPaused()).toBe(true);
  });

  test("sees that there is nobody any more", async () => {
    const stream = new PassThrough();
    stream.destroy();
    const limits = { bytesMax: 64, msMax: 4_000, emptyLine: "strict" } as const;
    expect(await readHead(stream as unknown as Socket, limits)).toEqual({ kind: "closed" });
  });
});
