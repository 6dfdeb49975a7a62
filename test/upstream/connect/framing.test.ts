import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { boundBody } from "../../../src/upstream/connect/server-fetch.ts";
import { idOfHead, LineReader } from "../../../src/upstream/connect/line-reader.ts";
import { isNestedDeeper } from "../../../src/upstream/connect/read-reply.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const minus = 0x2d;

/** What a reader makes of `text` that comes in pieces of these sizes; `…` stands for a line too long. `-…` is unwanted. */
function linesOf(text: string, sizes: readonly number[], bytesMax: number): string[] {
  const lines: string[] = [];
  const reader = new LineReader(
    {
      onLine: (line) => void lines.push(decoder.decode(line)),
      onTooLong: (head) => void lines.push(`${decoder.decode(head)}…`),
      isUnwanted: (line, start, end) => start < end && line[start] === minus,
    },
    bytesMax,
  );
  const bytes = encoder.encode(text);
  let start = 0;
  for (let index = 0; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    reader.push(bytes.subarray(start, start + size));
    start += size;
  }
  reader.end();
  return lines;
}

describe("LineReader", () => {
  test.each<[string, string, string[]]>([
    ["below the limit", "abcd\n", ["abcd"]],
    ["at the limit", "abcde\n", ["abcde"]],
    ["above the limit", "abcdef\n", ["abcdef…"]],
    ["one that is too long, then others", "abcdefgh\nxy\n\nz", ["abcdefgh…", "xy", "", "z"]],
    ["too long, without an end", "abcdefgh", ["abcdefgh…"]],
    ["unwanted ones between others", "ab\n-b\n-\ncd\n-d", ["ab", "cd"]],
  ])("%s", (_, text, expected) => {
    expect(linesOf(text, [100], 5)).toEqual(expected);
  });

  test("how the input is divided changes no line", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "-", "\n"), maxLength: 60 });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    fc.assert(
      fc.property(line, sizes, (text, pieces) => {
        const whole = linesOf(text, [1_000], 20).map((each) => each.replace(/.*…$/, "…"));
        expect(linesOf(text, pieces, 20).map((each) => each.replace(/.*…$/, "…"))).toEqual(whole);
      }),
    );
  });
});

describe("a long line", () => {
  test("its memory is given back before the next one, or sooner", () => {
    const told: [before: number, after: number][] = [];
    let last = new Uint8Array(0);
    const reader = new LineReader({
      onLine(bytes, release) {
        const before = bytes.length;
        if (told.length === 0) release();
        told.push([before, bytes.length]);
        last = bytes as Uint8Array<ArrayBuffer>;
      },
      onTooLong: () => {},
      isUnwanted: () => false,
    });
    const piece = new Uint8Array(300_000).fill(0x61);
    for (const bytes of [piece, piece, encoder.encode("\n"), piece, piece, encoder.encode("\nx")]) {
      reader.push(bytes);
    }
    expect({ told, left: last.length }).toEqual({
      told: [
        [600_000, 0],
        [600_000, 600_000],
      ],
      left: 0,
    });
  });

  test("one of a chunk is the chunk's, and is not given back", () => {
    const chunk = encoder.encode("abc\ndef\n");
    const lines: string[] = [];
    const reader = new LineReader({
      onLine(bytes, release) {
        release();
        lines.push(decoder.decode(bytes));
      },
      onTooLong: () => {},
      isUnwanted: () => false,
    });
    reader.push(chunk);
    expect(lines).toEqual(["abc", "def"]);
  });
});

describe("idOfHead()", () => {
  test.each<[string, number | "none" | undefined]>([
    ['{"jsonrpc":"2.0","id":12,"result":{"a', 12],
    ['{ "id" : 0 , "result"', 0],
    ['{"result":{"id":5,"x":"', undefined],
    ['{"result":{"x":"\\"id\\":5"},"id":7,', 7],
    ['{"id":12', undefined],
    ['{"id":12,"method":"ping","params":{"a', "none"],
    ['{"method":"ping","params":{"a":[', "none"],
    ['{"id":12,"result":{"method":"x","a', 12],
    ['{"id":"12","result"', undefined],
    ['{"id":null,"result"', undefined],
    ["garbage", undefined],
    ["", undefined],
  ])("%s", (head, id) => {
    expect(idOfHead(encoder.encode(head))).toBe(id as number);
  });

  test("no text makes it throw", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void idOfHead(bytes)));
  });
});

describe("boundBody()", () => {
  const bodyOf = (chunks: readonly string[]): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
        controller.close();
      },
    });

  test.each<[string, readonly string[], boolean, boolean]>([
    ["a document at the limit", ["12345", "12345"], false, true],
    ["a document above it", ["12345", "123456"], false, false],
    ["events at the limit", ["data:123\n\n", "data:456\n\n"], true, true],
    ["an event above it, in pieces", ["data:12", "3456\n\n"], true, false],
    ["an event above it, in one piece", ["data:1234567890\n\n"], true, false],
    ["events with carriage returns", ["data:1\r\n\r\n", "data:2\r\n\r\n"], true, true],
    ["an empty line that comes in two pieces", ["data:123\n", "\n", "data:456\n\n"], true, true],
  ])("%s", async (_, chunks, isEventStream, fits) => {
    const bounded = boundBody(bodyOf(chunks), isEventStream, () => new Error("too large"), 10);
    const text = await new Response(bounded).text().catch((error: unknown) => String(error));
    expect(text).toBe(fits ? chunks.join("") : "Error: too large");
  });
});

describe("isNestedDeeper()", () => {
  test.each<[unknown, number, boolean]>([
    [1, 0, false],
    [{}, 0, true],
    [{}, 1, false],
    [{ a: [] }, 1, true],
    [{ a: [], b: 1, c: null }, 2, false],
  ])("%p, %i", (value, levelsMax, expected) => {
    expect(isNestedDeeper(value, levelsMax)).toBe(expected);
  });
});
