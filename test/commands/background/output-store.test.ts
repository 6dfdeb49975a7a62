import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { OutputStore } from "../../../src/commands/background/output-store.ts";

const sizes = { headBytes: 8, windowBytes: 24 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = (store: OutputStore, from: number): [number, string][] =>
  store.read(from).map((segment) => [segment.from, new TextDecoder().decode(segment.bytes)]);

describe("OutputStore", () => {
  const rows: [string, string[], number, [number, string][], number][] = [
    ["nothing written", [], 0, [], 0],
    ["less than the head", ["abc"], 0, [[0, "abc"]], 0],
    ["exactly the head", ["abcdefgh"], 0, [[0, "abcdefgh"]], 0],
    [
      "one byte past the head",
      ["abcdefghi"],
      0,
      [
        [0, "abcdefgh"],
        [8, "i"],
      ],
      0,
    ],
    [
      "from inside the head",
      ["abcdefghi"],
      3,
      [
        [3, "defgh"],
        [8, "i"],
      ],
      0,
    ],
    ["from the end", ["abcdefghi"], 9, [], 0],
    ["exactly the window", ["abcdefgh", "0123456789abcdef"], 8, [[8, "0123456789abcdef"]], 0],
    [
      "one byte past the window",
      ["abcdefgh", "0123456789abcdef", "X"],
      0,
      [
        [0, "abcdefgh"],
        [9, "123456789abcdefX"],
      ],
      1,
    ],
    [
      "a chunk longer than the ring",
      ["abcdefgh", "0123456789abcdefghijklmnopqrst"],
      8,
      [[22, "efghijklmnopqrst"]],
      14,
    ],
  ];
  test.each(rows)("read(): %s", (_name, chunks, from, expected, dropped) => {
    const store = new OutputStore(sizes);
    for (const chunk of chunks) store.append(bytes(chunk));
    store.compact();
    expect(shown(store, from)).toEqual(expected);
    expect(store.droppedBytes).toBe(dropped);
  });

  test("read() gives the bytes of the whole output at their offsets, whatever the chunks", () => {
    const chunk = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.nat(400), (chunks, from) => {
        const store = new OutputStore({ headBytes: 16, windowBytes: 100 });
        const whole = new Uint8Array(Buffer.concat(chunks));
        for (const part of chunks) {
          store.append(part);
          // A command that was given up may write on after its end.
          if (part.length % 5 === 0) store.compact();
        }
        expect(store.end).toBe(whole.length);
        const segments = store.read(from);
        for (const { from: at, bytes: held } of segments) {
          expect(held).toEqual(whole.slice(at, at + held.length));
        }
        const heldFromStart = store.read(0).reduce((sum, segment) => sum + segment.bytes.length, 0);
        expect(heldFromStart + store.droppedBytes).toBe(whole.length);
        expect(heldFromStart).toBe(Math.min(whole.length, heldFromStart));
        if (whole.length > 100) expect(heldFromStart).toBe(100);
        const last = segments.at(-1);
        if (from < whole.length)
          expect((last?.from ?? 0) + (last?.bytes.length ?? 0)).toBe(whole.length);
      }),
    );
  });
});
