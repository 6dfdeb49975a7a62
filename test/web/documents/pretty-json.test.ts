import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { jsonValuesMax } from "../../../src/base/limits.ts";
import { prettyJson } from "../../../src/web/documents/read-document.ts";

describe("prettyJson()", () => {
  test.each([
    ["{}", "{}"],
    ["[ ]", "[]"],
    ['{"a":[1,{"b":null}]}', '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
    ['["\\"", "\\\\", "a\\\\\\"b,]"]', '[\n  "\\"",\n  "\\\\",\n  "a\\\\\\"b,]"\n]'],
    ["12345678901234567890.10", "12345678901234567890.10"],
    [' "x" ', '"x"'],
  ])("%s", (text, pretty) => {
    expect(prettyJson(text)).toBe(pretty);
  });

  test.each(["", "{", "{'a':1}", "nonsense", '["a"'])("%j is no JSON", (text) => {
    expect(prettyJson(text)).toBeUndefined();
  });

  test("a text of more values than are worth their memory stays as it is", () => {
    const text = (values: number): string => `[${"0,".repeat(values - 1)}0]`;
    expect(prettyJson(text(jsonValuesMax - 1))).toBeString();
    expect(prettyJson(text(jsonValuesMax + 1))).toBeUndefined();
  });

  const strings: [name: string, text: string][] = [
    ["characters", "x".repeat(6_000_000)],
    ["escapes", String.raw`\"`.repeat(2_000_000)],
    ["backslashes", String.raw`\\`.repeat(2_000_000)],
  ];
  test.each(strings)("a string of millions of %s stays whole", (_name, text) => {
    expect(prettyJson(`{"a":"${text}"}`) === `{\n  "a": "${text}"\n}`).toBe(true);
  });

  test("changes nothing but the white space between tokens", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const pretty = prettyJson(text) ?? "";
        expect(JSON.stringify(JSON.parse(pretty))).toBe(text);
      }),
    );
  });

  test("what would grow to many times its size stays as it is", () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(prettyJson(deep)).toBeUndefined();
  });

  test("what is nested deeply for a reason is indented", () => {
    const deep = `${"[".repeat(100)}1${"]".repeat(100)}`;
    expect(prettyJson(deep)?.split("\n")).toHaveLength(201);
  });
});
