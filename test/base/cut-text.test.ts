import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { bodyCharsMax, type CutText, cutText, oneLine } from "../../src/base/cut-text.ts";

describe("cutText()", () => {
  const rows: [string, string, number, CutText | undefined][] = [
    ["exactly what fits", "0123456789", 10, undefined],
    ["one more", "0123456789a", 10, { head: "01234", tail: "6789a", omittedChars: 1 }],
    [
      "borders of lines that are near",
      "abc\nd-----e\nfgh\n",
      12,
      { head: "abc\n", tail: "fgh\n", omittedChars: 8 },
    ],
    ["pairs stay whole", "😀😀😀😀", 6, { head: "😀", tail: "😀", omittedChars: 4 }],
  ];
  test.each(rows)("%s", (_name, text, charsMax, expected) => {
    expect(cutText(text, charsMax)).toEqual(expected);
  });

  test("head, what was left out and tail are the text, and never more than was asked for", () => {
    const text = fc.string({ maxLength: 200, unit: "binary" });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 100 }), (whole, charsMax) => {
        const cut = cutText(whole, charsMax);
        if (cut === undefined) return expect(whole.length).toBeLessThanOrEqual(charsMax);
        expect(whole).toStartWith(cut.head);
        expect(whole).toEndWith(cut.tail);
        expect(cut.head.length + cut.omittedChars + cut.tail.length).toBe(whole.length);
        expect(cut.head.length + cut.tail.length).toBeLessThanOrEqual(charsMax);
      }),
    );
  });
});

test.each([
  [1_000, 500],
  [1_999, 999],
  [2_000, 1_000],
  [20_000, 19_000],
  [30_000, 29_000],
])("bodyCharsMax(%d) is %d", (resultCharsMax, body) => {
  expect(bodyCharsMax(resultCharsMax)).toBe(body);
});

test.each([
  ["a   b\n\tc ", "a b c"],
  ["x".repeat(100), "x".repeat(100)],
  ["x".repeat(101), `${"x".repeat(99)}…`],
  [`${"x".repeat(98)}😀😀`, `${"x".repeat(98)}\ufffd…`],
])("oneLine() puts %p on one line of at most 100 characters", (text, line) => {
  expect(oneLine(text)).toBe(line);
});
