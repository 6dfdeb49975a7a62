import { describe, expect, test } from "bun:test";

import { chartOf } from "../../scripts/bench/growth/chart.ts";
import { parseGrowthOptions } from "../../scripts/bench/growth/run-growth.ts";
import { faultsOf, type Point, slopeOf } from "../../scripts/bench/growth/slope.ts";

/** Points whose latency is the power `power` of their size. */
function curve(power: number, sizes = [1, 10, 100, 1000, 10_000], mb = 20): Point[] {
  return sizes.map((size) => ({ size, ms: size ** power, mb }));
}

describe("slopeOf()", () => {
  test.each([
    ["nothing that grows", curve(0), 0],
    ["as fast as the size", curve(1), 1],
    ["its square", curve(2), 2],
    ["a size of 0 is left out", [{ size: 0, ms: 9, mb: 1 }, ...curve(1)], 1],
    ["fewer sizes than two decades", curve(1, [1, 10]), 1],
    [
      "a start that is flat before the last two decades",
      curve(1).map((point, at) => ({ ...point, ms: at < 3 ? 1 : point.ms / 100 })),
      1,
    ],
  ])("%s", (_, points, slope) => {
    expect(slopeOf(points, ({ ms }) => ms)).toBeCloseTo(slope, 10);
  });

  test.each([
    ["no point", []],
    ["one point", curve(1, [10])],
  ])("%s has no slope", (_, points) => {
    expect(slopeOf(points, ({ ms }) => ms)).toBeUndefined();
  });
});

describe("faultsOf()", () => {
  test.each([
    ["at the bound of the slope", curve(1.1), []],
    ["above it", curve(1.11), ["x: the call grows with the power 1.11, at most 1.1"]],
    ["memory at its bound", curve(0, [1, 10], 50), []],
    ["memory above it", curve(0, [1, 10], 51), ["x: 51 MB of memory, at most 50 MB"]],
    [
      "a start",
      curve(0).map((point) => ({ ...point, startMs: point.size ** 1.5 })),
      ["x: the start grows with the power 1.50, at most 1.1"],
    ],
  ])("%s", (_, points, faults) => {
    expect(faultsOf("x", points, 50)).toEqual(faults);
  });
});

test("chartOf() draws each line within the axes, and leaves out what has no logarithm", () => {
  const line = {
    name: "a < b",
    points: [
      [0, 1],
      [1, 1],
      [100, 10],
    ] as const,
  };
  const svg = chartOf("title", "size", [line]);
  expect(svg).toContain('points="64,276 490,32"');
  expect(svg).toContain("a &lt; b");
  expect(svg.match(/<polyline/g)).toHaveLength(1);
});

test("parseGrowthOptions() takes curves in the order of the page", () => {
  expect(parseGrowthOptions(["--growth", "--only", "calls,tasks"]).curves).toEqual([
    "tasks",
    "calls",
  ]);
  expect(() => parseGrowthOptions(["--growth", "--only", "x"])).toThrow('--only: no "x"');
});
