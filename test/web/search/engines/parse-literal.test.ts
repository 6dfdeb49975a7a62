import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseLiteral } from "../../../../src/web/search/engines/startpage-data.ts";

const parse = (text: string): unknown => parseLiteral(text, 0);

describe("parseLiteral()", () => {
  test("reads any JSON as JSON.parse() does, whatever follows it", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        fc.pre(!json.includes("__proto__"));
        expect(JSON.stringify(parse(`${json} ); more()`))).toBe(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: 300 },
    );
  });

  test("never throws", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "'",
      '"',
      "\\",
      "a",
      "1",
      "-",
      "!0",
      " ",
      "/*",
      "//",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        parse(parts.join(""));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [
      "{ a: 'it\\'s', 'b-c': \"d\", 7: [1, -2.5, .5, 1e3,], }",
      { a: "it's", "b-c": "d", 7: [1, -2.5, 0.5, 1000] },
    ],
    ["{a: !0, b: !1, c: true, d: null}", { a: true, b: false, c: true, d: null }],
    ["{a: undefined, b: void 0, c: NaN}", { a: undefined, b: undefined, c: undefined }],
    ["{ // a comment, with ' and }\n a: /* another } */ 1 }", { a: 1 }],
    ["'\\u0041\\x42\\u{1F41A}\\n\\q\\\n'", "AB🐚\nq"],
    ["'\\u{110000}'", ""],
    ["[]", []],
    ["{", undefined],
    ["{a}", undefined],
    ["{a: f(1)}", undefined],
    ["[1 2]", undefined],
    ["'unclosed", undefined],
    ["'ends with \\", undefined],
    ["", undefined],
    ["[".repeat(201), undefined],
    [`${"[".repeat(300)}${"]".repeat(300)}`, undefined],
  ])("%p is %p", (text, expected) => {
    expect(JSON.stringify(parse(text))).toBe(JSON.stringify(expected));
  });

  test("a member named __proto__ is a member", () => {
    const value = parse('{"__proto__": {"polluted": 1}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect("polluted" in {}).toBe(false);
  });
});
