import { expect, test } from "bun:test";

import { isRunningStill, ownIdentity } from "../../../src/commands/process/proc-table.ts";

test("a process is known by its pid and its start", async () => {
  const own = ownIdentity();
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  expect(
    [own, { ...own, startTicks: null }, { ...own, startTicks: 1 }, { ...own, pid: ended.pid }].map(
      isRunningStill,
    ),
  ).toEqual([true, true, process.platform !== "linux", false]);
});
