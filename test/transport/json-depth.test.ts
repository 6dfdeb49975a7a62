import { describe, expect, test } from "bun:test";
import { exceedsDepth } from "../../src/transport/json-depth.ts";

describe("exceedsDepth()", () => {
  test.each([
    ["[[]]", 2, false],
    ["[[[]]]", 2, true],
    ['{"a":{"b":[]}}', 2, true],
    ['["[[[["]', 1, false],
    ['["\\"[[[["]', 1, false],
    ['["\\\\",[[]]]', 2, true],
    ["[[],[],[]]", 2, false],
    ['"[[[', 1, false],
    ["", 0, false],
  ])("of %j against %d is %p", (json, depthMax, expected) => {
    expect(exceedsDepth(Buffer.from(json), depthMax)).toBe(expected);
  });
});
