import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";

import { taskStepsMax, taskTextCharsMax } from "../../../../src/base/limits.ts";
import type { StateScope } from "../../../../src/base/server-events.ts";
import type {
  Task,
  TaskReply,
  TaskRequest,
} from "../../../../src/state/store/tasks/task-records.ts";
import type {
  ExportedTask,
  TransferredTask,
} from "../../../../src/state/store/tasks/task-transfer.ts";
import { type StoreEngine, storeEngines } from "../engines.ts";

let engine: StoreEngine;
let here: StateScope;
let scopes = 0;

/** Each test has a scope of its own. */
beforeEach(() => void (here = { workspace: "/w", owner: `owner ${(scopes += 1)}` }));

const perform = (request: TaskRequest, scope = here): Promise<TaskReply> =>
  engine.call({ method: "tasks.perform", request: { scope, request } });
const create = (text: string, scope = here): Promise<TaskReply> =>
  perform({ action: "create", text }, scope);
const add = (text: string, taskId: number | null = null): Promise<TaskReply> =>
  perform({ action: "add", taskId, text });
const complete = (taskId: number | null, stepId: number | null = null): Promise<TaskReply> =>
  perform({ action: "complete", taskId, stepId });
const list = (...words: string[]): Promise<TaskReply> => perform({ action: "list", words });
const pending = (...words: string[]): Promise<TaskReply> => perform({ action: "pending", words });
const switchTo = (taskId: number | null, ...words: string[]): Promise<TaskReply> =>
  perform({ action: "switch", taskId, words });
const exportTasks = (scope = here): Promise<ExportedTask[]> =>
  engine.call({ method: "tasks.export", request: { scope } });
const importTasks = (
  tasks: readonly TransferredTask[],
  scope = here,
): Promise<{ taskIds: number[] }> =>
  engine.call({ method: "tasks.import", request: { scope, tasks } });
const refusalOf = (refused: Promise<unknown>): Promise<string> =>
  refused.then(
    () => "done",
    (error: Error) => error.message,
  );
const task = (taskId: number, text: string, more: Partial<Task> = {}): Task => {
  return { taskId, text, isDone: false, steps: [], stepCount: 0, stepsDone: 0, ...more };
};
const step = (stepId: number, text: string, isDone = false) => ({ stepId, text, isDone });
const idsOf = ({ tasks }: TaskReply): number[] => tasks.map(({ taskId }) => taskId);

describe.each(storeEngines)("with %s", (_name, open) => {
  beforeAll(async () => void (engine = await open()));
  afterAll(() => engine[Symbol.asyncDispose]());

  describe("tasks.perform", () => {
    test("create: counts ids up for each scope alone; the new task becomes current", async () => {
      await create("a");
      expect(await create(" b \r\n c ")).toEqual({
        tasks: [task(2, "b \n c")],
        matching: 1,
        isCut: false,
        currentTaskId: 2,
        stepId: null,
        isChanged: true,
        total: 2,
        pending: 2,
      });
      expect(idsOf(await create("x", { ...here, workspace: "/other" }))).toEqual([1]);
      expect(idsOf(await create("x", { ...here, owner: `${here.owner} of a team` }))).toEqual([1]);
      expect(idsOf(await list())).toEqual([1, 2]);
    });

    test("add: to the current task or the one that is named; step ids count for the workspace", async () => {
      await create("a");
      await create("b");
      await add("one");
      await add("two", 1);
      expect(await add("three")).toMatchObject({
        tasks: [task(2, "b", { steps: [step(3, "three")], stepCount: 2 })],
        stepId: 3,
        currentTaskId: 2,
      });
      expect((await list()).tasks).toEqual([
        task(1, "a", { steps: [step(2, "two")], stepCount: 1 }),
        task(2, "b", { steps: [step(1, "one"), step(3, "three")], stepCount: 2 }),
      ]);
    });

    test("add: a completed task is pending again", async () => {
      await create("a");
      await complete(1);
      expect(await add("more", 1)).toMatchObject({ tasks: [{ isDone: false }], pending: 1 });
    });

    test("complete: a step, of whichever task, and what comes next", async () => {
      await create("a");
      await add("one");
      await add("two");
      await create("b");
      expect(await complete(null, 1)).toEqual({
        tasks: [
          task(1, "a", {
            steps: [step(1, "one", true), step(2, "two")],
            stepCount: 2,
            stepsDone: 1,
          }),
        ],
        matching: 1,
        isCut: false,
        currentTaskId: 2,
        stepId: 1,
        isChanged: true,
        total: 2,
        pending: 2,
      });
      expect((await complete(null, 1)).isChanged).toBe(false);
      expect((await complete(1, 2)).tasks).toEqual([
        task(1, "a", { steps: [step(2, "two", true)], stepCount: 2, stepsDone: 2 }),
      ]);
    });

    test("complete: the whole task, which is not current any more; a second time changes nothing", async () => {
      await create("a");
      expect(await complete(null)).toMatchObject({
        currentTaskId: null,
        pending: 0,
        isChanged: true,
      });
      expect(await complete(1)).toMatchObject({
        currentTaskId: null,
        pending: 0,
        isChanged: false,
      });
    });

    test("list, pending: all that have the words, in task or steps, in any case", async () => {
      await create("Größe MESSEN");
      await add("οδός");
      await create("Größe ändern");
      await complete(2);
      await create("(İ) ﬁx");
      expect(idsOf(await list("GRÖSSE"))).toEqual([1, 2]);
      expect(idsOf(await list("ΟΔΌΣ", "messen"))).toEqual([1]);
      expect(idsOf(await list("fix"))).toEqual([3]);
      expect(idsOf(await list("größe", "fix"))).toEqual([]);
      expect(await pending("größe")).toMatchObject({
        tasks: [{ taskId: 1 }],
        matching: 1,
        total: 3,
      });
      expect(idsOf(await pending())).toEqual([1, 3]);
    });

    test("pending: shows what is not done of each task", async () => {
      await create("a");
      await add("one");
      await add("two");
      await complete(null, 1);
      expect((await pending()).tasks).toEqual([
        task(1, "a", { steps: [step(2, "two")], stepCount: 2, stepsDone: 1 }),
      ]);
    });

    test("switch: by id or by the words of one task", async () => {
      await create("write parser");
      await create("write printer");
      expect(await switchTo(1)).toMatchObject({ currentTaskId: 1, isChanged: true });
      expect(await switchTo(1)).toMatchObject({ currentTaskId: 1, isChanged: false });
      expect(await switchTo(null, "PRINTER")).toMatchObject({ currentTaskId: 2, isChanged: true });
    });

    const refusals: [string, () => Promise<TaskReply>, string][] = [
      [
        "add, nothing current",
        () => add("x"),
        "No task is current, and add needs one: give `task_id`",
      ],
      [
        "complete, nothing current",
        () => complete(null),
        "No task is current, and complete needs one",
      ],
      ["no such task", () => add("x", 9), "no task_id 9 in this workspace: there are no tasks yet"],
      [
        "no such step",
        async () => (await create("a"), complete(null, 9)),
        "no step_id 9 in this workspace: list",
      ],
      [
        "a step of another task",
        async () => (await create("a"), await add("s"), await create("b"), complete(2, 1)),
        "Step 1 belongs to task 1, not to task 2",
      ],
      ["switch to anything", () => switchTo(null), "switch needs `task_id`, or words of one task"],
      ["switch to nothing", () => switchTo(null, "zzz"), 'No task contains the word "zzz"'],
      [
        "switch to one of two",
        async () => (await create("a x"), await create("b x"), switchTo(null, "x")),
        '2 tasks contain the word "x": task 2 (b x), task 1 (a x). Give `task_id`.',
      ],
      ["no text", () => create(" \n"), "`text` is empty"],
      [
        "a long text",
        () => create("x".repeat(taskTextCharsMax + 1)),
        "`text` has 10,001 characters; the limit for a task or step is 10,000",
      ],
    ];
    test.each(refusals)("refuses %s, and says what to do", async (_name, request, expected) => {
      expect(await refusalOf(request())).toContain(expected);
    });

    test("a text of the longest length is kept, one step more than the most is not", async () => {
      expect((await create("x".repeat(taskTextCharsMax))).tasks[0]?.text).toHaveLength(
        taskTextCharsMax,
      );
      const steps = Array.from({ length: taskStepsMax - 1 }, () => ({ text: "s", isDone: false }));
      await importTasks([{ text: "a", isDone: false, steps }]);
      expect(await add("s", 2)).toMatchObject({ tasks: [{ stepCount: taskStepsMax }] });
      expect(await refusalOf(add("s", 2))).toContain("There are already 1000 steps in task 2");
    });

    test("hostile text is kept as text: NUL, half characters, escape sequences, SQL", async () => {
      const hostile = "a\0b\uD800c\u001B[31md'); DROP TABLE tasks;--\u{1F600}\tx";
      const kept = "a\uFFFDb\uFFFDc\uFFFD[31md'); DROP TABLE tasks;--\u{1F600}\tx";
      await create(hostile);
      expect((await list()).tasks).toEqual([task(1, kept)]);
      expect(await list("\0")).toMatchObject({ tasks: [], matching: 0 });
    });
  });

  describe("a list that is too long", () => {
    const fill = async (count: number, text: (place: number) => string): Promise<void> => {
      const tasks = Array.from({ length: count }, (_, place) => {
        return { text: text(place), isDone: place % 2 === 1, steps: [] };
      });
      await importTasks(tasks);
    };

    test("shows pending and new ones, the current one always, and how many there are", async () => {
      await fill(10_000, (place) => `task number ${place}`);
      await switchTo(1);
      const reply = await list();
      const ids = idsOf(reply);
      expect(reply).toMatchObject({ matching: 10_000, total: 10_000, pending: 5_000, isCut: true });
      expect(ids[0]).toBe(1);
      expect(ids.slice(-2)).toEqual([9_997, 9_999]);
      expect(ids.length).toBeWithin(200, 700);
      expect(JSON.stringify(reply).length).toBeLessThan(100_000);
      expect(await pending("NUMBER 4")).toMatchObject({ matching: 556 });
    });

    test("texts are shown whole when they fit, else short", async () => {
      await fill(4, () => "long ".repeat(1_000));
      expect((await list()).tasks.map(({ text }) => text.length)).toEqual([
        4_999, 4_999, 4_999, 4_999,
      ]);
      await fill(10, () => "長い ".repeat(1_000));
      const reply = await list();
      expect(reply).toMatchObject({ matching: 14, isCut: true });
      expect(reply.tasks.map(({ text }) => text.length)).toEqual(Array(14).fill(200));
      expect(await switchTo(14)).toMatchObject({ isCut: false, tasks: [{ taskId: 14 }] });
    });

    test("the steps of one task: pending ones first", async () => {
      const steps = Array.from({ length: 900 }, (_, place) => {
        return { text: `step ${place + 1} ${"x".repeat(100)}`, isDone: false };
      });
      await importTasks([{ text: "a", isDone: false, steps }]);
      await complete(1, 1);
      const [shown] = (await switchTo(1)).tasks;
      expect(shown).toMatchObject({ stepCount: 900, stepsDone: 1 });
      expect(shown?.steps[0]?.stepId).toBe(2);
      expect(shown?.steps.length).toBeWithin(100, 300);
    });
  });

  describe("tasks.export, tasks.import", () => {
    test("what was exported is the same after an import elsewhere", async () => {
      await create("a");
      await add("one");
      await add("two");
      await complete(null, 1);
      await create("b");
      await complete(2);
      await switchTo(1);
      const exported = await exportTasks();
      const steps = [
        { text: "one", isDone: true },
        { text: "two", isDone: false },
      ];
      expect(exported).toEqual([
        { taskId: 1, text: "a", isDone: false, isCurrent: true, steps },
        { taskId: 2, text: "b", isDone: true, isCurrent: false, steps: [] },
      ]);
      const there = { ...here, workspace: "/there" };
      expect(await importTasks(exported, there)).toEqual({ taskIds: [1, 2] });
      expect(await exportTasks(there)).toEqual(
        exported.map((entry) => ({ ...entry, isCurrent: false })),
      );
    });

    test("an import gives new ids, after which ids go on", async () => {
      await create("a");
      const tasks = [{ text: "b", isDone: false, steps: [{ text: "s", isDone: false }] }];
      expect(await importTasks(tasks)).toEqual({ taskIds: [2] });
      expect(await create("c")).toMatchObject({ currentTaskId: 3, total: 3, pending: 3 });
      expect((await add("t")).stepId).toBe(2);
    });

    test("a task that cannot be kept is named", async () => {
      const tasks = [
        { text: "a", isDone: false, steps: [] },
        { text: " ", isDone: false, steps: [] },
      ];
      expect(await refusalOf(importTasks(tasks))).toContain("Task 2 of the file: `text` is empty");
    });
  });
});
