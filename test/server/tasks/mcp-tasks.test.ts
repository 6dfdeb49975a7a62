import { describe, expect, test } from "bun:test";
import { Cancellation } from "../../../src/base/cancellation.ts";
import {
  mcpTaskResultCharsMax,
  mcpTaskResultsCharsMax,
  mcpTasksMax,
  mcpTasksPerOwnerMax,
} from "../../../src/base/limits.ts";
import { FaultError } from "../../../src/calls/ask-client.ts";
import type { TaskOptions } from "../../../src/calls/call.ts";
import type { McpTask } from "../../../src/server/tasks/mcp-task.ts";
import { McpTasks } from "../../../src/server/tasks/mcp-tasks.ts";
import { FakeClock } from "./fake-clock.ts";

function start(): {
  clock: FakeClock;
  tasks: McpTasks;
  create: (owner?: string, options?: TaskOptions) => McpTask;
} {
  const clock = new FakeClock();
  const tasks = new McpTasks(clock);
  const create = (owner = "a", options?: TaskOptions): McpTask =>
    tasks.create(owner, new Cancellation(), options);
  return { clock, tasks, create };
}

/** A result of that many characters. */
function resultOf(chars: number): { kind: "result"; json: string } {
  return { kind: "result", json: `"${"x".repeat(chars - 2)}"` };
}

const done = resultOf(2);

describe("McpTasks, ids and owners", () => {
  test("ids have 128 bits and no two are alike", () => {
    const { create } = start();
    const ids = Array.from({ length: 100 }, () => create().id);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test("another owner's id is unknown", () => {
    const { tasks, create } = start();
    const task = create("a");
    expect([tasks.find("a", task.id), tasks.find("b", task.id), tasks.find("a", "no")]).toEqual([
      task,
      undefined,
      undefined,
    ]);
  });
});

describe("McpTasks, options", () => {
  test.each<[TaskOptions | undefined, number | null, number, string | undefined]>([
    [undefined, 3_600_000, 500, undefined],
    [{ ttlMs: null, pollIntervalMs: 20, statusMessage: "m" }, null, 20, "m"],
    [{ ttlMs: 1.4, pollIntervalMs: 2.6 }, 1, 3, undefined],
    [{ ttlMs: 0, pollIntervalMs: -1 }, 1, 1, undefined],
  ])("%p become whole milliseconds", (options, ttlMs, pollIntervalMs, statusMessage) => {
    const { create } = start();
    expect(create("a", options).notificationParams()).toMatchObject({
      status: "working",
      ttlMs,
      pollIntervalMs,
      ...(statusMessage === undefined ? {} : { statusMessage }),
    });
  });
});

describe("McpTasks, time to live", () => {
  test("a task is readable to the end of its time and then forgotten, one timer for all", () => {
    const { clock, tasks, create } = start();
    const long = create("a", { ttlMs: 300 });
    const short = create("a", { ttlMs: 100 });
    const endless = create("a", { ttlMs: null });
    const readable = (): boolean[] =>
      [short, long, endless].map(({ id }) => tasks.find("a", id) !== undefined);
    expect(clock.timerCount).toBe(1);
    clock.moveTo(99);
    expect(readable()).toEqual([true, true, true]);
    clock.moveTo(100);
    expect([readable(), clock.timerCount]).toEqual([[false, true, true], 1]);
    clock.moveTo(300);
    expect([readable(), clock.timerCount]).toEqual([[false, false, true], 0]);
  });

  test("a late timer does not keep it readable", () => {
    const { clock, tasks, create } = start();
    const { id } = create("a", { ttlMs: 100 });
    clock.jumpTo(100);
    expect(tasks.find("a", id)).toBeUndefined();
  });

  test("the work of a task that had its time is cancelled, and nobody is told", () => {
    const { clock, tasks } = start();
    const cancellation = new Cancellation();
    const task = tasks.create("a", cancellation, { ttlMs: 100 });
    let changes = 0;
    tasks.onChange(() => (changes += 1));
    clock.moveTo(100);
    expect([cancellation.isCancelled, task.state.status, changes]).toEqual([true, "cancelled", 0]);
  });
});

describe("McpTasks, bounds", () => {
  test("when an owner has too many, the oldest that ended goes first, then there is an error", () => {
    const { tasks, create } = start();
    const all = Array.from({ length: mcpTasksPerOwnerMax }, () => create());
    all[3]?.settle(done);
    all[1]?.settle(done);
    // Cancelled, but the call has not come back: its work still is there.
    all[0]?.cancel();
    create();
    expect(all.slice(0, 4).map(({ id }) => tasks.find("a", id) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    create();
    expect(tasks.find("a", all[3]?.id ?? "")).toBeUndefined();
    expect(() => create()).toThrow(FaultError);
    expect(() => create()).toThrow(/^1024 MCP tasks have not ended.*tasks\/cancel/);
    all[0]?.settle(done);
    expect(create().state).toEqual({ status: "working" });
  });

  test("another owner still gets one, until there are too many in all", () => {
    const { tasks, create } = start();
    const first = create("first");
    for (let count = 1; count < mcpTasksMax; count += 1) create(`owner ${count % 8}`);
    expect(() => create("new")).toThrow(/^4096 MCP tasks have not ended/);
    first.settle(done);
    expect(create("new").state).toEqual({ status: "working" });
    expect(tasks.find("first", first.id)).toBeUndefined();
  });

  test("results of all tasks are bounded: the oldest goes, the newest stays", () => {
    const { tasks, create } = start();
    const count = mcpTaskResultsCharsMax / mcpTaskResultCharsMax;
    const all = Array.from({ length: count + 1 }, () => create());
    const working = create();
    const isThere = (): boolean[] => all.map(({ id }) => tasks.find("a", id) !== undefined);
    for (const task of all.slice(0, count)) task.settle(resultOf(mcpTaskResultCharsMax));
    expect(isThere()).toEqual(all.map(() => true));
    all[count]?.settle(resultOf(2));
    expect(isThere()).toEqual(all.map((_, index) => index !== 0));
    expect(tasks.find("a", working.id)).toBe(working);
  });

  test("an owner's results push out its own, not those of others who keep less", () => {
    const { tasks, create } = start();
    const other = create("other");
    other.settle(resultOf(1000));
    const count = mcpTaskResultsCharsMax / mcpTaskResultCharsMax + 1;
    const all = Array.from({ length: count }, () => create("greedy"));
    for (const task of all) task.settle(resultOf(mcpTaskResultCharsMax));
    const areThere = (): boolean[] => all.map(({ id }) => tasks.find("greedy", id) !== undefined);
    expect(areThere()).toEqual(all.map((_, index) => index >= 2));
    const late = create("late");
    late.settle(resultOf(mcpTaskResultCharsMax));
    expect(areThere()).toEqual(all.map((_, index) => index >= 3));
    expect([tasks.find("other", other.id), tasks.find("late", late.id)]).toEqual([other, late]);
  });

  test("of owners that keep as much the newest result stays", () => {
    const { tasks, create } = start();
    const count = mcpTaskResultsCharsMax / mcpTaskResultCharsMax + 1;
    const all = Array.from({ length: count }, (_, index) => create(`owner ${index}`));
    for (const task of all) task.settle(resultOf(mcpTaskResultCharsMax));
    expect(all.map(({ ownerId, id }) => tasks.find(ownerId, id) !== undefined)).toEqual(
      all.map((_, index) => index !== 0),
    );
  });

  test("the newest result stays, also when its owner keeps the most", () => {
    const { tasks, create } = start();
    const [half, whole] = [mcpTaskResultCharsMax / 2, mcpTaskResultCharsMax];
    const small = Array.from({ length: mcpTaskResultsCharsMax / half }, (_, index) =>
      create(`owner ${index}`),
    );
    for (const task of small) task.settle(resultOf(half));
    const big = create("big");
    big.settle(resultOf(whole));
    expect(tasks.find("big", big.id)).toBe(big);
    expect(small.filter(({ ownerId, id }) => tasks.find(ownerId, id) !== undefined).length).toBe(
      small.length - 2,
    );
  });

  test.each([
    [mcpTaskResultCharsMax, "completed"],
    [mcpTaskResultCharsMax + 1, "failed"],
  ])("a result of %p characters is %s", (chars, status) => {
    const task = start().create();
    task.settle(resultOf(chars));
    expect(task.state.status).toBe(status as "completed");
  });
});

describe("McpTasks, changes", () => {
  test("listeners hear of each change that a client can see, until they stop", () => {
    const { tasks, create } = start();
    const seen: string[] = [];
    const stop = tasks.onChange((changed) => seen.push(`${changed.id} ${changed.state.status}`));
    const [one, two] = [create(), create()];
    void one.ask({ r: { method: "roots/list" } });
    one.update({ unknown: {} });
    one.update({ r: { roots: [] } });
    one.settle(done);
    one.settle(done);
    one.cancel();
    stop();
    two.cancel();
    expect(seen).toEqual(["input_required", "working", "completed"].map((s) => `${one.id} ${s}`));
  });
});
