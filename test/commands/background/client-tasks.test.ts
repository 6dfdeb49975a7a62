import { afterAll, describe, expect, setSystemTime, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  ClientTasks,
  type SavedOutputRecord,
} from "../../../src/commands/background/client-tasks.ts";
import { Execution } from "../../../src/commands/background/execution.ts";
import { Orphanage } from "../../../src/commands/process/orphanage.ts";

/** An execution without a process; `end` is what its command would do. */
function fakeExecution(): { execution: Execution; end: () => Promise<void> } {
  const orphanage = new Orphanage();
  const execution = new Execution({ commandText: "x", orphanage, onGone: () => {} });
  const exit = Promise.withResolvers<{ exitCode: number; signal: null }>();
  const family = { groupId: 2 ** 22 + 1, mark: "none.1" };
  execution.attach({ pid: family.groupId, ended: exit.promise }, family, undefined);
  const end = (): Promise<void> => {
    exit.resolve({ exitCode: 0, signal: null });
    return execution.ended;
  };
  return { execution, end };
}

async function addEnded(tasks: ClientTasks, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { execution, end } = fakeExecution();
    tasks.add("command", execution, 0);
    await end();
  }
}

describe("ClientTasks, saved outputs", () => {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-tasks-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const output = (name: string): SavedOutputRecord => {
    const path = join(folder, `${name}.txt`);
    writeFileSync(path, "x");
    return { resultId: name, path, title: "Bash", from: 10, bytes: 100 };
  };

  test.each([
    [255, [1, 2, 257]],
    [256, [2, 3, 258]],
  ])("count to the 256 that have ended: after %d of them", async (count, ids) => {
    const tasks = new ClientTasks();
    await addEnded(tasks, 1);
    const saved = output("a");
    for (let index = 0; index < count; index++) tasks.addOutput(saved);
    tasks.add("command", fakeExecution().execution, 0);
    const list = tasks.list();
    expect([list[0]?.id, list[1]?.id, list.at(-1)?.id]).toEqual(ids);
  });

  test("begin at the first byte that was left out, and are no executions", () => {
    const tasks = new ClientTasks();
    const id = tasks.addOutput(output("b"));
    expect([id, tasks.get(id).cursor, tasks.executions()]).toEqual([1, 10, []]);
  });

  test("end with their files", () => {
    const tasks = new ClientTasks();
    const [first, second] = [output("c"), output("d")].map((saved) => tasks.addOutput(saved));
    rmSync(join(folder, "c.txt"));
    expect(() => tasks.get(first ?? 0)).toThrow("The output of task 1 is gone");
    expect(() => tasks.get(first ?? 0)).toThrow("No background task has the id 1. Known: 2.");
    rmSync(join(folder, "d.txt"));
    expect([second, tasks.list()]).toEqual([2, []]);
  });
});

describe("ClientTasks", () => {
  test.each([
    [63, false],
    [64, true],
    [65, true],
  ])("assertRoom() with %d running: full %p", (count, isFull) => {
    const tasks = new ClientTasks();
    for (let index = 0; index < count; index++) tasks.add("command", fakeExecution().execution, 0);
    const check = (): void => tasks.assertRoom();
    if (isFull) expect(check).toThrow(`${count} background tasks are running`);
    else expect(check).not.toThrow();
  });

  test.each([
    [255, 255, 1],
    [256, 256, 1],
    [257, 256, 2],
  ])("list() of %d ended tasks holds %d, from id %d on", async (count, held, firstId) => {
    const tasks = new ClientTasks();
    const { execution } = fakeExecution();
    await addEnded(tasks, count);
    const running = tasks.add("command", execution, 0);
    const list = tasks.executions();
    expect(list.length).toBe(held + 1);
    expect(list[0]?.id).toBe(firstId);
    expect(list.at(-1)).toBe(running);
  });

  test("list() forgets what ended more than 24 h ago, and never what runs", async () => {
    const start = new Date("2026-01-01T00:00:00Z").getTime();
    const dayMs = 24 * 60 * 60 * 1000;
    try {
      setSystemTime(start);
      const tasks = new ClientTasks();
      tasks.add("command", fakeExecution().execution, 0);
      await addEnded(tasks, 1);
      const idsAt = (now: number): number[] => {
        setSystemTime(now);
        return tasks.executions().map(({ id }) => id);
      };
      expect([start + dayMs - 1, start + dayMs, start + dayMs + 1].map(idsAt)).toEqual([
        [1, 2],
        [1, 2],
        [1],
      ]);
    } finally {
      setSystemTime();
    }
  });

  test("ids are never used again", async () => {
    const tasks = new ClientTasks();
    await addEnded(tasks, 300);
    tasks.executions();
    expect(tasks.add("command", fakeExecution().execution, 0).id).toBe(301);
  });

  test("get() of an unknown id names those that exist", async () => {
    const tasks = new ClientTasks();
    expect(() => tasks.get(1)).toThrow(
      "No background task has the id 1. There are no background tasks.",
    );
    await addEnded(tasks, 2);
    expect(() => tasks.get(9)).toThrow("No background task has the id 9. Known: 1, 2.");
    expect(tasks.get(2).id).toBe(2);
  });
});

test("ids go on above those of kept tasks", () => {
  const tasks = new ClientTasks();
  const { execution } = fakeExecution();
  const ids = Array.from({ length: 1_002 }, () => tasks.add("command", execution, 0).id);
  expect([ids[0], ids[999], ids[1_000], ids[1_001]]).toEqual([1, 1_000, 1_000_001, 1_000_002]);
});
