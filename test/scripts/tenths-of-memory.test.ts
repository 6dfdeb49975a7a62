import { expect, test } from "bun:test";
import { TenthsOfMemory } from "../../scripts/verify/tenths-of-memory.ts";

/** Looks ten times at each tenth; `mbOf` says what is found there, the first tenth being 1. */
function run(mbOf: (tenth: number) => number): TenthsOfMemory {
  let done = 0;
  const memory = new TenthsOfMemory(() => mbOf(Math.ceil(done / 10)));
  for (done = 1; done <= 100; done++) memory.look(done / 100);
  return memory;
}

test.each([
  ["shrinks", (tenth: number) => 200 - tenth, []],
  ["grows in the first tenth only", (tenth: number) => (tenth === 1 ? 10 : 100), []],
  ["grows by a tenth", (tenth: number) => (tenth === 10 ? 110 : 100), []],
  [
    "grows by more",
    (tenth: number) => (tenth === 10 ? 111 : 100),
    ["the last tenth holds 111 MB, 1.11 × the second; at most 1.1 ×"],
  ],
])("TenthsOfMemory: memory that %s", (_, mbOf, faults) => {
  expect(run(mbOf).faults()).toEqual(faults);
});

test("TenthsOfMemory: figures", () => {
  expect(run((tenth) => 100 + tenth).figures()).toBe(
    "resident MB by tenths: 101, 102, 103, 104, 105, 106, 107, 108, 109, 110; " +
      "the last is 1.08 × the second, at most 1.1 ×",
  );
});

test("TenthsOfMemory: a run without samples fails", () => {
  const memory = new TenthsOfMemory(() => 1);
  expect(memory.faults()).toEqual(["too few calls to see memory in tenths"]);
});
