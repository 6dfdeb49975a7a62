import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { resultBytesPerChar } from "../../src/base/limits.ts";
import { type SavedSource, readSaved } from "../../src/tools/read-saved-output.ts";

/** Gives `bytes` in parts that end at a line or, in a long line, at a character, as the file is read. */
function sourceOf(bytes: Buffer, partBytes: number): SavedSource {
  return (from) => {
    const rest = bytes.subarray(from);
    let part = rest.subarray(0, partBytes);
    if (part.length < rest.length) {
      const newline = part.lastIndexOf(10);
      let end = newline + 1;
      if (newline === -1) for (end = part.length; ((rest[end] ?? 0) & 0xc0) === 0x80;) end -= 1;
      part = rest.subarray(0, end);
    }
    return Promise.resolve({ bytes: part, end: bytes.length });
  };
}

const wish = { until: undefined, filter: undefined, charsMax: 100, deadline: Infinity };
const numbers = Buffer.from(Array.from({ length: 1_000 }, (_, at) => `${at}\n`).join(""));

describe("readSaved()", () => {
  test("pages one behind the other are the whole, each within its bounds", async () => {
    const line = fc.string({ unit: "binary", maxLength: 80 });
    const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n").toWellFormed());
    const plain = text.filter((words) => Bun.stripANSI(words) === words);
    await fc.assert(
      fc.asyncProperty(plain, fc.integer({ min: 8, max: 500 }), async (words, partBytes) => {
        const source = sourceOf(Buffer.from(words), partBytes);
        let read = "";
        for (let at = 0; at < Buffer.byteLength(words);) {
          const page = await readSaved(source, at, wish);
          expect(page.to).toBeGreaterThan(at);
          expect(page.body.length).toBeLessThanOrEqual(100);
          expect(Buffer.byteLength(page.body)).toBeLessThanOrEqual(100 * resultBytesPerChar);
          read += page.body;
          at = page.to;
        }
        expect(read).toBe(words);
      }),
    );
  });

  test("what is no UTF-8 is replaced, and counted as it is", async () => {
    const source = sourceOf(Buffer.alloc(1_000, 0xff), 300);
    let at = 0;
    let chars = 0;
    while (at < 1_000) {
      const page = await readSaved(source, at, wish);
      chars += page.body.length;
      at = page.to;
    }
    expect([at, chars]).toEqual([1_000, 1_000]);
  });

  const rows: [string, Parameters<typeof readSaved>[2], object][] = [
    [
      "`filter` goes through all of it",
      { ...wish, filter: /^(1|999)$/ },
      { body: "1\n999\n", to: 3_890, passedBytes: 0, matched: null },
    ],
    [
      "`filter` stops where the page is full",
      { ...wish, filter: /^\d\d\d$/, charsMax: 8 },
      { body: "100\n101\n", to: 298, passedBytes: 0, matched: null },
    ],
    [
      "`until` ends at the line, with what is before it",
      { ...wish, until: /^11$/ },
      { body: "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", to: 26, passedBytes: 0, matched: true },
    ],
    [
      "`until` far away: what has no room is passed over and counted",
      { ...wish, until: /^500$/, charsMax: 10 },
      { body: "499\n500\n", to: 1_894, passedBytes: 1_886, matched: true },
    ],
    [
      "`until` with `filter`",
      { ...wish, until: /^500$/, filter: /00$/ },
      { body: "100\n200\n300\n400\n500\n", to: 1_894, passedBytes: 0, matched: true },
    ],
    [
      "`until` that nothing matches gives the next page",
      { ...wish, until: /x/, charsMax: 10 },
      { body: "0\n1\n2\n3\n4\n", to: 10, passedBytes: 0, matched: false },
    ],
    [
      "no time is left: what was looked at",
      { ...wish, filter: /x/, deadline: 0 },
      { body: "", to: 98, passedBytes: 0, matched: null },
    ],
  ];
  test.each(rows)("%s", async (_name, wanted, expected) => {
    const partBytes = wanted.deadline === 0 ? 100 : 64;
    const page = await readSaved(sourceOf(numbers, partBytes), 0, wanted);
    expect<object>(page).toEqual({ ...expected, end: 3_890 });
  });
});
