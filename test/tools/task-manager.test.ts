import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";

import { migrate } from "../../src/state/store/migrate.ts";
import { runSteps, sqliteDialect } from "../../src/state/store/steps.ts";
import { performTaskRequest } from "../../src/state/store/tasks/task-book.ts";
import { importTasks } from "../../src/state/store/tasks/task-transfer.ts";
import { taskManager } from "../../src/tools/task-manager.ts";
import { fakeContext } from "./fake-context.ts";

type Arguments = Partial<Parameters<typeof taskManager.handler>[0]>;

const scope = { workspace: "/w", owner: "" };
let database: Database;
let notices: string[] = [];
beforeEach(() => {
  notices = [];
  database = new Database(":memory:", { strict: true });
  migrate(database);
});
afterEach(() => database.close());

const call = async (args: Arguments, resultCharsMax = 30_000) => {
  const context = fakeContext({
    limits: { resultCharsMax, answerMs: null },
    tasks: {
      perform: async (request) => {
        const reply = runSteps(database, performTaskRequest(sqliteDialect, scope, request));
        return { ...reply, notices };
      },
    },
  });
  return taskManager.handler({ action: "list", query: "", ...args }, context);
};
const linesOf = async (args: Arguments): Promise<string[]> => (await call(args)).text.split("\n");

describe("TaskManager", () => {
  test("create takes query where there is no text, also where it is empty", async () => {
    for (const text of [undefined, "", " "]) {
      const created = await call({
        action: "create",
        query: "Parser",
        ...(text === undefined ? {} : { text }),
      });
      expect(created.structured?.tasks[0]?.text).toBe("Parser");
    }
  });

  test("a task from its beginning to its end", async () => {
    const talk: [Arguments, string[]][] = [
      [{}, ["No tasks.", "0 tasks, 0 pending; current: none."]],
      [
        { action: "create", text: "Write the\nparser" },
        [
          "Task 1 was created and is now the current task.",
          "[ ] task 1: Write the parser (current)",
          "1 task, 1 pending; current: task 1.",
        ],
      ],
      [
        { action: "add", text: "tokens" },
        [
          "Step 1 was added to task 1 (0 of 1 steps done).",
          "[ ] task 1: Write the parser (current) (0 of 1 steps done)",
          "    [ ] step 1: tokens",
          "1 task, 1 pending; current: task 1.",
        ],
      ],
      [
        { action: "add", text: "grammar" },
        [
          "Step 2 was added to task 1 (0 of 2 steps done).",
          "[ ] task 1: Write the parser (current) (0 of 2 steps done)",
          "    [ ] step 2: grammar",
          "1 task, 1 pending; current: task 1.",
        ],
      ],
      [
        { action: "complete", step_id: 1 },
        [
          "Step 1 of task 1 is done (1 of 2 steps done).",
          "[ ] task 1: Write the parser (current) (1 of 2 steps done)",
          "    [x] step 1: tokens",
          "    [ ] step 2: grammar",
          "Next is step 2: grammar",
          "1 task, 1 pending; current: task 1.",
        ],
      ],
      [
        { action: "complete", step_id: 2 },
        [
          "Step 2 of task 1 is done (2 of 2 steps done).",
          "[ ] task 1: Write the parser (current) (2 of 2 steps done)",
          "    [x] step 2: grammar",
          "That was the last step: task 1 can be completed.",
          "1 task, 1 pending; current: task 1.",
        ],
      ],
      [
        { action: "create", query: "named by query" },
        [
          "Task 2 was created and is now the current task.",
          "[ ] task 2: named by query (current)",
          "2 tasks, 2 pending; current: task 2.",
        ],
      ],
      [
        { action: "switch", query: "PARSER" },
        [
          "Task 1 is now the current task.",
          "[ ] task 1: Write the parser (current) (2 of 2 steps done)",
          "    [x] step 1: tokens",
          "    [x] step 2: grammar",
          "2 tasks, 2 pending; current: task 1.",
        ],
      ],
      [
        { action: "complete" },
        [
          "Task 1 is completed: Write the parser",
          "No task is current now.",
          "2 tasks, 1 pending; current: none.",
        ],
      ],
      [{ action: "pending" }, ["[ ] task 2: named by query", "2 tasks, 1 pending; current: none."]],
      [
        { action: "pending", query: "parser" },
        ["No pending task contains the words parser.", "2 tasks, 1 pending; current: none."],
      ],
    ];
    for (const [args, lines] of talk) expect(await linesOf(args)).toEqual(lines);
  });

  test.each([
    [30_000, "a"],
    [20_000, 'say "no\\"'],
    [1_000, "ä".repeat(100)],
  ])("a list keeps within %d characters, in both forms: %j", async (resultCharsMax, text) => {
    for (let count = 0; count < 400; count++) {
      await call({ action: "create", text });
      if (count % 4 === 0) await call({ action: "add", text });
    }
    const listed = await call({}, resultCharsMax);
    const json = JSON.stringify(listed.structured);
    expect(Math.max(listed.text.length, json.length)).toBeLessThanOrEqual(resultCharsMax);
    expect(listed.structured?.tasks.length).toBeGreaterThan(0);
    // What is left out is told in both.
    const [note] = listed.structured?.notes ?? [];
    expect(note).toContain("are not shown here");
    expect(listed.text).toContain(note ?? "?");
  });

  test("the structured result has the same, and what has no room", async () => {
    await call({ action: "create", text: "a" });
    expect((await call({ action: "add", text: "s" })).structured).toEqual({
      tasks: [
        {
          taskId: 1,
          text: "a",
          isDone: false,
          steps: [{ stepId: 1, text: "s", isDone: false }],
          stepCount: 1,
          stepsDone: 0,
        },
      ],
      leftOut: 0,
      isCut: false,
      currentTaskId: 1,
      stepId: 1,
      isChanged: true,
      total: 1,
      pending: 1,
      notices: [],
      notes: ["Step 1 was added to task 1 (0 of 1 steps done)."],
    });
  });

  test("a list is as long as the client takes, and says how much is left out", async () => {
    for (let place = 0; place < 50; place += 1) {
      await call({ action: "create", text: `task ${place} ${"x".repeat(150)}` });
    }
    const { text, structured } = await call({}, 5_000);
    expect(text.length).toBeWithin(2_000, 5_000);
    const shown = structured?.tasks.length ?? 0;
    expect(structured).toMatchObject({ leftOut: 50 - shown, isCut: true, total: 50 });
    expect(text).toContain(`[${50 - shown} more of 50 tasks are not shown here`);
    expect(text).toContain("[ ] task 50: ");
  });

  test.each([
    ["short texts", "x"],
    ["lines", "a line of the usual length, as tasks have it"],
    ["texts of many bytes", "長い仕事の文章".repeat(20)],
    ["texts that JSON escapes", '"\\'.repeat(300)],
    ["long texts", "x".repeat(9_000)],
    ["line breaks", "x\n".repeat(3_000)],
  ])("a result stays below 100 kB with %s, text and structure together", async (_name, text) => {
    const tasks = Array.from({ length: 2_000 }, (_, place) => {
      const steps = place % 3 === 0 ? [{ text, isDone: false }] : [];
      return { text: `${place} ${text}`, isDone: false, steps };
    });
    runSteps(database, importTasks(sqliteDialect, scope, tasks));
    const reply = await call({});
    const result = JSON.stringify({ text: reply.text, structured: reply.structured });
    expect(Buffer.byteLength(result)).toBeWithin(20_000, 100_000);
    expect(reply.text.length).toBeLessThanOrEqual(30_000);
  });

  test("what became of the file is said first", async () => {
    notices = ["/h/scorpiox.db is damaged; it was set aside as /h/aside."];
    const { text, structured } = await call({});
    expect(text).toStartWith(`${notices[0]}\nNo tasks.\n`);
    expect(structured?.notices).toEqual(notices);
  });

  test.each([
    [{ action: "create", text: " " }, "`text` is missing: create needs it."],
    [{ action: "add" }, "`text` is missing: add needs it."],
    [{ action: "switch", task_id: 5 }, "There is no task_id 5 in this workspace"],
  ] as const)("%p fails with %p", (args, message) => {
    expect(call(args)).rejects.toThrow(message);
  });
});
