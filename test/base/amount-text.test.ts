import { expect, test } from "bun:test";
import { formatAmount, formatCount, formatDuration } from "../../src/base/cut-text.ts";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [59_900, "59.9 s"],
  [60_000, "1 min 0 s"],
  [3_599_000, "59 min 59 s"],
  [3_600_000, "1 h 0 min"],
  [86_400_000, "24 h 0 min"],
])("formatDuration(%d) is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_234_567, "1,234,567"],
])("formatCount(%d) is %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [0, "0 tasks"],
  [1, "1 task"],
  [12_345, "12,345 tasks"],
])("formatAmount(%d) is %s", (count, text) => {
  expect(formatAmount(count, "task")).toBe(text);
});
