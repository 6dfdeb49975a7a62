import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { cleanLine, cutAtWord } from "../../../src/web/search/clean-text.ts";

describe("cleanLine()", () => {
  test.each([
    ["  a \n\t b  ", "a b"],
    ["a\u00a0\u3000b", "a b"],
    ["a\u200bb\u2060c\ufeffd\u00ade", "abcde"],
    ["\u202eevil\u202c \u2066x\u2069", "evil x"],
    ["\u001b[31mred\u001b[0m \u001b]52;c;eA==\u0007x", "red x"],
    ["a\u0000b\u0007c\u0081d", "abcd"],
    ["ok\u{e0041}\u{e0042}\u{e007f}", "ok"],
    ["\u3164\u115f", ""],
    ["a \u200b b", "a b"],
    ["\ud800x", "\ufffdx"],
    ["naïve 日本語 🎉", "naïve 日本語 🎉"],
    ["Array<string> &amp; co", "Array<string> &amp; co"],
  ])("%j", (text, clean) => expect(cleanLine(text)).toBe(clean));

  test("leaves nothing that is not to be seen, whatever comes, and nothing more to do", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const clean = cleanLine(text);
        expect(clean).not.toMatch(
          /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]|\s\s|^\s|\s$/u,
        );
        expect(clean.isWellFormed()).toBe(true);
        expect(cleanLine(clean)).toBe(clean);
      }),
    );
  });
});

describe("cutAtWord()", () => {
  test.each([
    ["one two", 7, "one two"],
    ["one two three", 9, "one two…"],
    ["one two three", 8, "one two…"],
    ["one, two three", 7, "one…"],
    ["日本語日本語日本語", 4, "日本語…"],
    ["aaaaaaaaaaaaaaaa bb", 10, "aaaaaaaaa…"],
    ["🎉🎉🎉🎉", 4, "🎉…"],
  ])("%j at %d", (text, charsMax, cut) => expect(cutAtWord(text, charsMax)).toBe(cut));

  test("never exceeds the room and never halves a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 20 }), (text, max) => {
        const cut = cutAtWord(text, max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });
});
