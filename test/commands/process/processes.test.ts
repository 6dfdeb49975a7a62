import { expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  isGroupAlive,
  isProcessAlive,
  isRunningStill,
  listOwnChildren,
  listProcesses,
  ownIdentity,
  readProcStat,
  readProcVariable,
  signalGroup,
  signalProcess,
} from "../../../src/commands/process/processes.ts";
import { until } from "./until.ts";

test.each(["plain", "with blank", "a) S 1 1 (b", "((", "x) R"])(
  "readProcStat() of a program named %p",
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), "scorpiox-proc-"));
    const program = join(folder, name);
    copyFileSync("/bin/sleep", program);
    const child = Bun.spawn([program, "30"], { detached: true });
    try {
      await until(() => readProcStat(child.pid)?.state === "S");
      const stat = readProcStat(child.pid);
      const startTicks = stat?.startTicks ?? 0;
      expect(stat).toEqual({
        pid: child.pid,
        name,
        parentPid: process.pid,
        groupId: child.pid,
        state: "S",
        hasTerminal: false,
        startTicks,
      });
      expect(startTicks).toBeGreaterThan(0);
      expect(listOwnChildren()).toContain(child.pid);
      expect(listProcesses()).toContain(child.pid);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true });
    }
  },
);

test.each([
  ["the first variable", { WANTED: "a b=c", OTHER: "x" }, "a b=c"],
  ["a later variable", { OTHER: "x", WANTED: "last" }, "last"],
  ["an empty value", { OTHER: "x", WANTED: "", MORE: "y" }, ""],
  ["only a longer name", { XWANTED: "no", WANTED2: "no" }, undefined],
  ["only a value that looks like it", { OTHER: "WANTED=no" }, undefined],
])("readProcVariable(): %s", async (_name, env, expected) => {
  const child = Bun.spawn(["/bin/sleep", "30"], { env });
  await until(() => readProcStat(child.pid)?.state === "S");
  expect(readProcVariable(child.pid, "WANTED")).toBe(expected as string);
  child.kill("SIGKILL");
  await child.exited;
});

test("nothing is known of a process that does not exist, and nothing is sent to it", () => {
  const missing = 2 ** 22 + 1;
  expect([
    readProcStat(missing),
    readProcVariable(missing, "PATH"),
    isProcessAlive(missing),
    isGroupAlive(missing),
    signalProcess(missing, "SIGTERM"),
    signalGroup(missing, "SIGTERM"),
  ]).toEqual([undefined, undefined, false, false, false, false]);
});

test.each([0, 1])(
  "signals are never sent to group or process %d: that would be everything",
  (id) => {
    expect([signalGroup(id, "SIGCONT"), signalProcess(id, "SIGCONT")]).toEqual([false, false]);
  },
);

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
