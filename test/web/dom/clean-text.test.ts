import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { cleanText, withoutControls } from "../../../src/web/dom/clean-text.ts";

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
