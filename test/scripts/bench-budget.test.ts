import { describe, expect, test } from "bun:test";

import { alternate } from "../../scripts/bench/budget/alternate.ts";
import { intervalOf, judge, ratioMax } from "../../scripts/bench/budget/judge.ts";
import { isBudget, parseBudgetOptions } from "../../scripts/bench/budget/options.ts";
import { budgetTable, failuresOf, undecidedOf } from "../../scripts/bench/budget/table.ts";
import { verdictsOf } from "../../scripts/bench/budget/turns.ts";

/** Ratios spread evenly around `middle`, one more than the other by `step`. */
function spread(middle: number, step: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => middle + step * (at - (count - 1) / 2));
}

/** The table of the sign test: how many values at each end lie outside of an interval of 95 of 100. */
test.each([
  [1, 0],
  [5, 0],
  [6, 0],
  [8, 0],
  [9, 1],
  [12, 2],
  [20, 5],
  [40, 13],
  [100, 39],
])("intervalOf() %d values leaves out %d at each end", (count, outside) => {
  const values = Array.from({ length: count }, (_, at) => at);
  expect(intervalOf(values.toReversed())).toEqual([outside, count - 1 - outside]);
});

describe("judge()", () => {
  test.each([
    ["the same with little noise", spread(1, 0.001, 20), "kept"],
    ["3 % more", spread(1.02, 0.001, 20), "kept"],
    ["8 % more with little noise", spread(1.08, 0.002, 20), "worse"],
    ["8 % more, hidden in noise", spread(1.08, 0.02, 20), "open"],
    ["the same with much noise", spread(1, 0.02, 20), "open"],
    ["8 % less", spread(0.92, 0.002, 20), "better"],
    ["8 % more in too few turns", spread(1.08, 0.001, 5), "open"],
    ["8 % more in six turns", spread(1.08, 0.001, 6), "worse"],
    ["a size that is the same", [1], "kept"],
    ["a size at the bound", [ratioMax], "kept"],
    ["a size above it", [1.031], "worse"],
    ["a size that shrank", [0.9], "better"],
  ] as const)("%s", (_, ratios, state) => {
    expect(judge(ratios).state).toBe(state);
  });
});

test("alternate() changes who is first, and takes the ratios of neighbours", async () => {
  const order: string[] = [];
  // The machine gets slower all the time, and both with it.
  let speed = 1;
  const compared = await alternate({ before: "before", now: "now" }, 3, (side) => {
    order.push(side);
    if (order.length % 2 === 1) speed *= 2;
    return { ms: speed * (side === "now" ? 3 : 2) };
  });
  expect(order).toEqual(["before", "now", "now", "before", "before", "now"]);
  expect(compared).toEqual({ ms: { before: 8, now: 12, ratio: 1.5 } });
});

describe("the table", () => {
  const turn = (ratio: number): { before: number; now: number; ratio: number } => {
    return { before: 10, now: 10 * ratio, ratio };
  };
  const turns = spread(1, 0.001, 8).map((ratio) => ({
    initialize: turn(ratio * 1.08),
    startProcessor: turn(ratio * 1.08),
    cheap: turn(ratio ** 50),
    cheapProcessor: turn(ratio * 1.08),
    bash: turn(ratio),
  }));
  const verdicts = verdictsOf(turns);

  test("has a row for each figure that was measured", () => {
    expect(budgetTable(verdicts).split("\n")).toMatchInlineSnapshot(`
      [
        "|  | before | now | ratio (95 of 100) | turns | ≤ 1.03 |",
        "| --- | --- | --- | --- | --- | --- |",
        "| spawn → \`initialize\` | 10 ms | 10.8 ms | 1.081 (1.076 to 1.084) | 8 | **no** |",
        "| a start, processor time | 10 ms | 10.8 ms | 1.081 (1.076 to 1.084) | 8 | – |",
        "| next 2,400 \`ListBgTasks\` | 10 µs | 10.3 µs | 1.025 (0.839 to 1.191) | 8 | not decided |",
        "| next 2,400 \`ListBgTasks\`, processor time | 10 µs | 10.8 µs | 1.081 (1.076 to 1.084) | 8 | **no** |",
        "| Bash \`echo hi\` | 10 ms | 10 ms | 1.000 (0.997 to 1.004) | 8 | yes |",
      ]
    `);
  });

  test("names what got worse and what is not decided, and processor times only in place of a time", () => {
    expect(failuresOf(verdicts)).toMatchInlineSnapshot(`
      [
        "spawn → \`initialize\` is 1.081 of what it was: at most 1.03 and its noise, 1.034",
        "next 2,400 \`ListBgTasks\`, processor time is 1.081 of what it was: at most 1.03 and its noise, 1.034",
      ]
    `);
    expect(undecidedOf(verdicts)).toMatchInlineSnapshot(`
      [
        "next 2,400 \`ListBgTasks\` is not decided, between 0.839 and 1.191: repeat it on a quieter machine",
      ]
    `);
  });
});

describe("parseBudgetOptions()", () => {
  test("compares this checkout with a commit", () => {
    expect(parseBudgetOptions(["--against", "v1.2.3"])).toEqual({
      commit: "v1.2.3",
      baseBinary: undefined,
      binary: undefined,
      turns: 20,
      parts: ["start", "calls", "output", "relay", "http", "memory", "size"],
      env: {},
      oneProcessor: false,
      json: undefined,
    });
  });

  test("takes executables, parts and variables", () => {
    const args = ["--base-binary", "/a", "--binary", "/b", "--only", "size,start"];
    const options = parseBudgetOptions([...args, "--env", "A=b=c", "--env", "D="]);
    expect(options).toMatchObject({ baseBinary: "/a", binary: "/b", parts: ["start", "size"] });
    expect(options.env).toEqual({ A: "b=c", D: "" });
  });

  test.each([
    [["--turns", "5"], "--turns takes at least 6"],
    [["--only", "sart"], '--only: no "sart"'],
    [["--env", "A"], '--env takes KEY=VALUE, not "A"'],
    [["--quick"], "--quick"],
  ])("%p is refused", (args, message) => {
    expect(() => parseBudgetOptions(["--against", "HEAD", ...args])).toThrow(message);
  });

  test.each([
    [["--against", "HEAD"], true],
    [["--against=HEAD"], true],
    [["--base-binary", "x"], true],
    [["--check"], false],
    [[], false],
  ])("isBudget(%p) is %p", (args, expected) => {
    expect(isBudget(args)).toBe(expected);
  });
});
