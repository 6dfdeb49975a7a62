import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { LineFramer } from "../../../src/server/transport/message-parser.ts";

const lineBytesMax = 8;

/** Lines and over-long marks, however many lines came in one piece. */
function linesOf(chunks: readonly Uint8Array[]): string[] {
  const framer = new LineFramer(lineBytesMax);
  const pieces = chunks.flatMap((chunk) => framer.push(chunk));
  return [...pieces, ...framer.end()].flatMap((piece) => {
    if (piece.kind === "line-too-long") return ["too long"];
    const lines = Buffer.from(piece.bytes)
      .toString("latin1")
      .split(/(?<=\n)/);
    return lines.map((line) => `line ${line.trimEnd()}`);
  });
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

describe("LineFramer", () => {
  test.each([
    ["", []],
    ["a\nb\n", ["line a", "line b"]],
    ["a", ["line a"]],
    ["a\nb", ["line a", "line b"]],
    ["1234567\n", ["line 1234567"]],
    ["12345678\n", ["line 12345678"]],
    ["12345678", ["line 12345678"]],
    ["123456789\n", ["too long"]],
    ["123456789", ["too long"]],
    ["1234567890123456789012\nab\n", ["too long", "line ab"]],
    ["ab\n123456789\ncd\n", ["line ab", "too long", "line cd"]],
    ["ab\n123456789012", ["line ab", "too long"]],
  ])("cuts %j with a limit of 8 bytes", (input, expected) => {
    expect(linesOf([bytes(input)])).toEqual(expected);
  });

  test("gives the same for each division of the input into chunks", () => {
    const byte = fc.constantFrom(0x0a, 0x0d, 0x20, 0x41, 0xff);
    const input = fc
      .uint8Array({ maxLength: 60 })
      .chain((random) =>
        fc.array(byte, { maxLength: 60 }).map((plain) => Buffer.from([...plain, ...random])),
      );
    const cuts = fc.array(fc.nat(120), { maxLength: 30 });
    fc.assert(
      fc.property(input, cuts, (whole, positions) => {
        const ends = [...positions.map((at) => Math.min(at, whole.length)), whole.length];
        let start = 0;
        const chunks = ends
          .sort((a, b) => a - b)
          .map((end) => {
            const chunk = whole.subarray(start, end);
            start = end;
            return chunk;
          });
        expect(linesOf(chunks)).toEqual(linesOf([whole]));
      }),
      { numRuns: 2000 },
    );
  });

  test("U-line: drops a line without end in constant memory", () => {
    const framer = new LineFramer();
    const chunk = new Uint8Array(1024 * 1024).fill(0x41);
    const before = process.memoryUsage.rss();
    const kinds: string[] = [];
    for (let count = 0; count < 256; count += 1) {
      kinds.push(...framer.push(chunk).map((piece) => piece.kind));
    }
    expect(kinds).toEqual(["line-too-long"]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024);
    expect(framer.push(bytes("\nok\n"))).toEqual([{ kind: "lines", bytes: bytes("ok\n") }]);
  });
});
