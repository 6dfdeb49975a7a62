import { expect, test } from "bun:test";
import { quantile, summarize } from "../../scripts/bench/stats.ts";

test.each([
  ["the only value", [7], 0.5, 7],
  ["the middle of three", [9, 1, 5], 0.5, 5],
  ["the upper middle of four", [4, 1, 3, 2], 0.5, 3],
  ["the highest", [1, 2, 3], 1, 3],
  ["the lowest", [3, 1, 2], 0, 1],
])("quantile(): %s", (_, values, p, expected) => {
  expect(quantile(values, p)).toBe(expected);
});

test("quantile() of nothing throws", () => {
  expect(() => quantile([], 0.5)).toThrow("nothing");
});

test("summarize() keeps the count and the quantiles", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(summarize(values)).toEqual({ n: 100, min: 1, p50: 51, p95: 96, p99: 100, max: 100 });
});
