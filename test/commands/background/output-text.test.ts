import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import {
  newOutput,
  type NewOutput,
  OutputStore,
  outputText,
} from "../../../src/commands/background/output-store.ts";

const sizes = { headBytes: 8, windowBytes: 24 };

function storeOf(text: string | Uint8Array, of = sizes): OutputStore {
  const store = new OutputStore(of);
  store.append(typeof text === "string" ? Buffer.from(text) : text);
  return store;
}

describe("newOutput()", () => {
  const rows: [string, string | Uint8Array, number, boolean, NewOutput][] = [
    [
      "nothing",
      "",
      0,
      false,
      { stretches: [], lostBytes: 0, linesTo: 0, partial: "", partialTo: 0 },
    ],
    [
      "whole lines",
      "ab\ncd\n",
      0,
      false,
      { stretches: ["ab\ncd\n"], lostBytes: 0, linesTo: 6, partial: "", partialTo: 6 },
    ],
    [
      "a line that is not ended",
      "ab\ncd",
      0,
      false,
      { stretches: ["ab\n"], lostBytes: 0, linesTo: 3, partial: "cd", partialTo: 5 },
    ],
    [
      "the same at the end",
      "ab\ncd",
      0,
      true,
      { stretches: ["ab\ncd"], lostBytes: 0, linesTo: 5, partial: "", partialTo: 5 },
    ],
    [
      "from within a line",
      "ab\ncd\n",
      4,
      false,
      { stretches: ["d\n"], lostBytes: 0, linesTo: 6, partial: "", partialTo: 6 },
    ],
    [
      "a character that lacks a byte stays out of the partial line",
      Buffer.from("aé€").subarray(0, 5),
      0,
      false,
      { stretches: [], lostBytes: 0, linesTo: 0, partial: "aé", partialTo: 3 },
    ],
    [
      "at the end it is replaced",
      Buffer.from("aé").subarray(0, 2),
      0,
      true,
      { stretches: ["a\ufffd"], lostBytes: 0, linesTo: 2, partial: "", partialTo: 2 },
    ],
    [
      "a gap: torn lines on both sides count as lost",
      "01234\n67 dropped dropped xx\nabcd\nefgh\n0\n",
      0,
      false,
      {
        stretches: ["01234\n", "abcd\nefgh\n0\n"],
        lostBytes: 22,
        linesTo: 40,
        partial: "",
        partialTo: 40,
      },
    ],
    [
      "the cursor's own bytes are gone",
      "01234567 dropped dropped xx\nabcd\nefgh\n0\n",
      8,
      false,
      { stretches: ["abcd\nefgh\n0\n"], lostBytes: 20, linesTo: 40, partial: "", partialTo: 40 },
    ],
    [
      "one line without end: the newest of it",
      "x".repeat(50),
      0,
      false,
      {
        stretches: ["x".repeat(8)],
        lostBytes: 26,
        linesTo: 34,
        partial: "x".repeat(16),
        partialTo: 50,
      },
    ],
    [
      "a ring that begins within a character",
      `01234567${"€".repeat(10)}`,
      8,
      false,
      { stretches: [], lostBytes: 15, linesTo: 23, partial: "€€€€€", partialTo: 38 },
    ],
  ];
  test.each(rows)("%s", (_name, text, from, ended, expected) => {
    expect(newOutput(storeOf(text), from, ended)).toEqual(expected);
  });

  const text = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n", "bc"), { maxLength: 80 });
  const cuts = fc.array(fc.nat(40), { maxLength: 60 });

  test("reads one after the other give the whole text when nothing is dropped, whatever the chunks", () => {
    fc.assert(
      fc.property(text, cuts, fc.boolean(), (parts, lengths, showsPartial) => {
        const whole = Buffer.from(parts.join(""));
        const store = new OutputStore({ headBytes: 16, windowBytes: 100_000 });
        let read = "";
        let cursor = 0;
        const readOn = (ended: boolean): void => {
          const fresh = newOutput(store, cursor, ended);
          expect(fresh.lostBytes).toBe(0);
          read += fresh.stretches.join("") + (showsPartial ? fresh.partial : "");
          cursor = showsPartial ? fresh.partialTo : fresh.linesTo;
        };
        let at = 0;
        for (const length of lengths) {
          store.append(whole.subarray(at, at + length));
          at += length;
          readOn(false);
        }
        store.append(whole.subarray(at));
        readOn(true);
        expect(read).toBe(whole.toString());
        expect(cursor).toBe(whole.length);
      }),
    );
  });

  test("lost and given bytes together are all bytes when some are dropped", () => {
    fc.assert(
      fc.property(text, cuts, fc.nat(6), (parts, lengths, every) => {
        const whole = Buffer.from(parts.join(""));
        const store = new OutputStore(sizes);
        let given = 0;
        let lost = 0;
        let cursor = 0;
        const readOn = (ended: boolean): void => {
          const fresh = newOutput(store, cursor, ended);
          given += Buffer.byteLength(fresh.stretches.join(""));
          lost += fresh.lostBytes;
          cursor = fresh.linesTo;
          expect(fresh.lostBytes).toBeGreaterThanOrEqual(0);
        };
        let at = 0;
        for (const [index, length] of lengths.entries()) {
          store.append(whole.subarray(at, at + length));
          at = Math.min(whole.length, at + length);
          if (index % (every + 1) === 0) readOn(false);
        }
        store.append(whole.subarray(at));
        readOn(true);
        expect(given + lost).toBe(whole.length);
      }),
    );
  });
});

describe("outputText()", () => {
  const rows: [string, string | Uint8Array, number, object][] = [
    ["nothing", "", 10, { kind: "whole", text: "" }],
    ["exactly what fits", "0123456789", 10, { kind: "whole", text: "0123456789" }],
    [
      "one more than fits",
      "0123456789a",
      10,
      { kind: "cut", head: "01234", tail: "6789a", omittedBytes: 1 },
    ],
    [
      "it is cut at line borders that are near",
      "ab\ncd\nef\ngh\nij\n",
      12,
      { kind: "cut", head: "ab\ncd\n", tail: "ij\n", omittedBytes: 6 },
    ],
    [
      "it is never cut within a character",
      "é€é€é€é€é€",
      10,
      { kind: "cut", head: "é€", tail: "é€", omittedBytes: 15 },
    ],
    [
      "a byte order mark is kept",
      Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
      10,
      { kind: "whole", text: "\ufeffa" },
    ],
    [
      "what is no UTF-8 is replaced",
      Uint8Array.of(0x61, 0xff),
      10,
      { kind: "whole", text: "a\ufffd" },
    ],
  ];
  test.each(rows)("%s", (_name, text, charsMax, expected) => {
    const shown = outputText(storeOf(text, { headBytes: 100, windowBytes: 1_000 }), charsMax);
    const totalBytes = Buffer.byteLength(text);
    const more =
      shown.kind === "cut" ? { headBytes: Buffer.byteLength(shown.head), totalBytes } : {};
    expect<object>(shown).toEqual({ ...expected, ...more });
  });

  test("the ends and what was left out are all of it, within the limits of characters and bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.string({ maxLength: 400, unit: "grapheme" }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, fc.integer({ min: 20, max: 100 }), (whole, charsMax) => {
        const store = storeOf(whole, { headBytes: 64, windowBytes: 200 });
        const shown = outputText(store, charsMax);
        if (shown.kind === "whole") {
          expect(shown.text).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole));
          expect(shown.text.length).toBeLessThanOrEqual(charsMax);
          return;
        }
        const ends = shown.head + shown.tail;
        expect(ends.length).toBeLessThanOrEqual(charsMax);
        expect(Buffer.byteLength(ends)).toBeLessThanOrEqual(charsMax * 1.5);
        expect(shown.omittedBytes).toBeGreaterThan(0);
      }),
    );
  });

  test("what follows a gap is not shown as the beginning, nor what precedes it as the end", () => {
    const store = storeOf("0123456789".repeat(5));
    expect(outputText(store, 44)).toEqual({
      kind: "cut",
      head: "01234567",
      tail: "4567890123456789",
      headBytes: 8,
      omittedBytes: 26,
      totalBytes: 50,
    });
  });

  test("`to` leaves out what follows it", () => {
    expect(outputText(storeOf("abcdef"), 10, 4)).toEqual({ kind: "whole", text: "abcd" });
    const long = storeOf("0123456789€".repeat(3), { headBytes: 100, windowBytes: 1_000 });
    expect(outputText(long, 10, 36)).toEqual({
      kind: "cut",
      head: "01234",
      tail: "56789",
      headBytes: 5,
      omittedBytes: 26,
      totalBytes: 36,
    });
  });
});
