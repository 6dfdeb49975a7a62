import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { decodeHeaderValue, encodeHeaderValue } from "../../src/protocol/headers.ts";

describe("decodeHeaderValue()", () => {
  test.each<[string, string, string | undefined]>([
    ["plain text", "us-west1", "us-west1"],
    ["an empty value", "", ""],
    ["inner blanks and tabs", "a b\tc", "a b\tc"],
    ["base64", "=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"],
    ["outer blanks in base64", "=?base64?IHBhZGRlZCA=?=", " padded "],
    ["a line break in base64", "=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"],
    ["the markers in base64", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="],
    ["empty base64", "=?base64??=", ""],
    ["a byte order mark in base64", "=?base64?77u/YQ==?=", "\ufeffa"],
    ["markers in upper case", "=?BASE64?SGk=?=", "=?BASE64?SGk=?="],
    ["another encoding", "=?utf-8?B?SGk=?=", "=?utf-8?B?SGk=?="],
    ["a missing end", "=?base64?SGk=", "=?base64?SGk="],
    ["text after the end", "=?base64?SGk=?= x", "=?base64?SGk=?= x"],
    ["markers that share a question mark", "=?base64?=", "=?base64?="],
    ["missing padding", "=?base64?SGk?=", undefined],
    ["too much padding", "=?base64?SGk==?=", undefined],
    ["padding inside", "=?base64?SG=k?=", undefined],
    ["bits left over", "=?base64?SGl=?=", undefined],
    ["the URL alphabet", "=?base64?_-8=?=", undefined],
    ["blanks inside", "=?base64?SG k=?=", undefined],
    ["other characters", "=?base64?SGk!?=", undefined],
    ["bytes that are not UTF-8", "=?base64?//8=?=", undefined],
    ["an encoded surrogate", "=?base64?7aCA?=", undefined],
    ["a letter beyond ASCII", "café", undefined],
    ["a control character", "a\u0001", undefined],
    ["DEL", "a\u007f", undefined],
    ["a line break", "a\nb", undefined],
  ])("HP4: %s", (_name, value, expected) => {
    expect(decodeHeaderValue(value)).toBe(expected);
  });

  test("HP4: what a client encodes comes back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const base64 = Buffer.from(text).toString("base64");
        expect(decodeHeaderValue(`=?base64?${base64}?=`)).toBe(text.toWellFormed());
      }),
    );
  });

  test("HP4: exactly the canonical form of base64 is accepted", () => {
    const unit = fc.constantFrom(..."AQgw09az+/-_= ".split(""));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (base64) => {
        const bytes = Buffer.from(base64, "base64");
        const isCanonical = bytes.toString("base64") === base64;
        const expected =
          isCanonical && Buffer.from(bytes.toString()).equals(bytes) ? bytes.toString() : undefined;
        expect(decodeHeaderValue(`=?base64?${base64}?=`)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("encodeHeaderValue()", () => {
  test.each<[string, string, string]>([
    ["plain text", "us-west1", "us-west1"],
    ["inner blanks", "a b", "a b"],
    ["outer blanks", " a", "=?base64?IGE=?="],
    ["nothing", "", "=?base64??="],
    ["other letters", "ä", "=?base64?w6Q=?="],
    ["what looks encoded", "=?base64?QQ==?=", "=?base64?PT9iYXNlNjQ/UVE9PT89?="],
    ["a line break", "a\nb", "=?base64?YQpi?="],
  ])("%s", (_, text, expected) => {
    expect(encodeHeaderValue(text)).toBe(expected);
  });

  test("is undone by decodeHeaderValue()", () => {
    const check = (text: string): void =>
      expect(decodeHeaderValue(encodeHeaderValue(text))).toBe(text);
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), check));
  });
});
