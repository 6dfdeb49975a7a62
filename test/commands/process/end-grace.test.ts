import { expect, test } from "bun:test";

import { graceUntil } from "../../../src/commands/process/family.ts";

test.each([
  ["all of it", 1_100, 1, 500],
  ["all of it, in two steps", 1_100, 2, 500],
  ["what a drain has left, in two steps", 700, 2, 350],
  ["what hooks have left", 300, 1, 300],
  ["nothing", 0, 1, 100],
  ["less than nothing", -5_000, 2, 100],
])("each step before KILL, where there is left %s", (_what, leftMs, steps, graceMs) => {
  expect(graceUntil(10_000 + leftMs, steps, 10_000)).toBe(graceMs);
});
