import { describe, expect, test } from "bun:test";
import {
  listAt,
  numberAt,
  parseEngineJson,
  textAt,
  valueAt,
} from "../../../../src/web/search/pages/read-json.ts";

describe("parseEngineJson()", () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['\ufeff {"a":1}\n', { a: 1 }],
    ['{"a":"x\ty"}', { a: "x y" }],
    ["null", null],
    ["<html>", undefined],
    ["", undefined],
  ])("%j is %j", (text, expected) => {
    expect(parseEngineJson(text)).toEqual(expected);
  });
});

describe("values of JSON that nobody promises", () => {
  const value: unknown = JSON.parse(
    '{"a":{"list":[1,"2",null],"text":"x","number":"7.5"},"__proto__":1}',
  );

  test("valueAt() finds what is there and nothing that every object has", () => {
    expect([valueAt(value, "a", "text"), valueAt(value, "a", "toString"), valueAt(7, "a")]).toEqual(
      ["x", undefined, undefined],
    );
  });

  test("textAt() takes texts and numbers", () => {
    expect([textAt(value, "a", "text"), textAt(7), textAt(value, "a"), textAt(null)]).toEqual([
      "x",
      "7",
      "",
      "",
    ]);
  });

  test("numberAt() takes finite numbers, also as text", () => {
    expect([
      numberAt(value, "a", "number"),
      numberAt(value, "a", "text"),
      numberAt(" "),
      numberAt("Infinity"),
    ]).toEqual([7.5, undefined, undefined, undefined]);
  });

  test.each([
    [199, 199],
    [200, 200],
    [201, 200],
  ])("listAt() gives of %d entries %d", (count, expected) => {
    expect(listAt({ list: Array.from({ length: count }) }, "list")).toHaveLength(expected);
  });
});
