import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import {
  cleanText,
  withoutControls,
  cleanLine,
  cutAtWord,
} from "../../../src/web/dom/clean-text.ts";

describe("cleanText()", () => {
  test.each([
    ["plain text", "a\tb\nc ~", "a\tb\nc ~"],
    ["line ends of every kind", "a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"],
    ["spaces that do not break", "a\u00a0b\u202fc\fd", "a b c d"],
    ["controls", "a\u0000b\u001b[c\u007f", "ab"],
    [
      "what terminals obey",
      "a\u001b[1;31mb\u001b[0m\u001b]0;title\u0007c\u001b]52;c;aGk=\u001b\\d",
      "abcd",
    ],
    [
      "the rest of what is no escape sequence",
      "\u001b]0;a\nb \u001b\u001b[31m[32m",
      "]0;a\nb [32m",
    ],
    ["bidi marks and overrides", "\u202ea\u2066b\u2069\u061c\u200e", "ab"],
    ["zero width and byte order marks", "a\u200bb\u2060c\ufeff\u00ad", "abc"],
    ["tags and selectors that carry hidden text", "a\u{e0068}\u{e0069}b\u{e0101}c\ufe01", "abc"],
    ["fillers that look like nothing", "a\u3164b\u115fc\uffa0", "abc"],
    ["halves of characters", "a\ud83db", "a\ufffdb"],
    [
      "joiners between letters and emoji",
      "\u0645\u06cc\u200c\u062e क्‍ष 👩‍💻",
      "\u0645\u06cc\u200c\u062e क्‍ष 👩‍💻",
    ],
    ["joiners elsewhere", "pass\u200dword\u200c \u200d", "password "],
    ["the look of an emoji", "❤\ufe0f 1\ufe0f\u20e3 a\ufe0f", "❤\ufe0f 1\ufe0f\u20e3 a"],
  ])("%s", (_name, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  const unit = fc.constantFrom(
    ..."a,\u200c,\u200d,\ufe0f,\ufe0e,\u0645,\u200b,\u0915,\u094d,1,., ,\ud83d".split(","),
    "👩",
    "❤",
    "\u{e0041}",
  );

  test("is done at once: a second time changes nothing", () => {
    const any = fc.oneof(fc.string({ unit, maxLength: 10 }), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(any, (text) => {
        const clean = cleanText(text);
        expect(clean.isWellFormed()).toBe(true);
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });
});

test("withoutControls() takes out what terminals might obey", () => {
  expect(withoutControls("a\u009b31mb\u0080c é")).toBe("a31mbc é");
});

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
