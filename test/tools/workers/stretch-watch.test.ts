import { expect, test } from "bun:test";

import { lookStepMsMax } from "../../../src/base/limits.ts";
import { ComputingCell, StretchWatch } from "../../../src/tools/workers/stretch-watch.ts";

const day = 86_400_000;

test("StretchWatch: what is seen at looks in a row adds up, at most a step for each", () => {
  const cell = new ComputingCell();
  const watch = new StretchWatch(cell);
  cell.begin(7);
  expect([watch.look(1000), watch.isSlow]).toEqual([{ jobId: 7, ms: 0 }, false]);
  expect([watch.look(1004), watch.isSlow]).toEqual([{ jobId: 7, ms: 4 }, true]);
  expect(watch.look(1010)).toEqual({ jobId: 7, ms: 10 });
  expect(watch.look(day)).toEqual({ jobId: 7, ms: 10 + lookStepMsMax });
});

test.each<[string, (cell: ComputingCell) => void, number]>([
  ["the same job's next turn", (cell) => cell.begin(7), 7],
  ["another job", (cell) => cell.begin(8), 8],
  ["the end", (cell) => cell.end(7), 0],
])("StretchWatch: %s begins another stretch, and is not slow before the look", (_, act, jobId) => {
  const cell = new ComputingCell();
  const watch = new StretchWatch(cell);
  cell.begin(7);
  watch.look(0);
  watch.look(5);
  act(cell);
  expect(watch.isSlow).toBe(false);
  expect([watch.look(10), watch.isSlow]).toEqual([{ jobId, ms: 0 }, false]);
});

test("StretchWatch: doing nothing is a stretch, but not a slow one", () => {
  const watch = new StretchWatch(new ComputingCell());
  watch.look(0);
  expect([watch.look(5), watch.look(9).ms > 0, watch.isSlow]).toEqual([
    { jobId: 0, ms: expect.any(Number) },
    true,
    false,
  ]);
});
