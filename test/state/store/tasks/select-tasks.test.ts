import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";

import { taskQueryCharsMax } from "../../../../src/base/limits.ts";
import { migrate } from "../../../../src/state/store/migrate.ts";
import { runSteps, sqliteDialect } from "../../../../src/state/store/steps.ts";
import {
  lineCostChars,
  selectTasks,
  type TaskSelection,
  type Wanted,
  wordsFrom,
} from "../../../../src/state/store/tasks/select-tasks.ts";
import { TaskTable } from "../../../../src/state/store/tasks/task-table.ts";
import { importTasks } from "../../../../src/state/store/tasks/task-transfer.ts";

const scope = { workspace: "/w", owner: "" };
const stepsEach = 100;
let database: Database;
let table: TaskTable;

beforeEach(() => {
  database = new Database(":memory:", { strict: true });
  migrate(database);
  const steps = Array.from({ length: stepsEach }, (_, place) => {
    return { text: `step ${place}`, isDone: place % 2 === 1 };
  });
  const tasks = Array.from({ length: 50 }, (_, place) => {
    return { text: `task ${place}`, isDone: false, steps };
  });
  runSteps(database, importTasks(sqliteDialect, scope, tasks));
  table = new TaskTable(sqliteDialect, 1);
});
afterEach(() => database.close());

const wanted: Wanted = {
  isPending: false,
  words: [],
  countWithoutWords: 50,
  currentTaskId: null,
  charsMax: 10 * stepsEach * lineCostChars,
};
const selected = (more: Partial<Wanted>): TaskSelection =>
  runSteps(database, selectTasks(table, { ...wanted, ...more }));
const stepsIn = (more: Partial<Wanted>): number[] =>
  selected(more).tasks.map(({ steps }) => steps.length);

describe("selectTasks()", () => {
  test.each([
    ["without words", {}],
    ["with words", { words: ["STEP"] }],
  ])("%s: no more steps are read than may have room", (_name, more) => {
    const all = Array<number>(10).fill(stepsEach);
    expect(stepsIn(more)).toEqual([...all, ...Array<number>(40).fill(0)]);
    // Half of the steps are done, and do not take the room of those that are not.
    const open = Array<number>(20).fill(stepsEach / 2);
    expect(stepsIn({ ...more, isPending: true })).toEqual([...open, ...Array<number>(30).fill(0)]);
  });

  test("a step that was not read counts", () => {
    const { tasks } = selected({});
    expect(tasks.at(-1)).toMatchObject({ taskId: 1, stepCount: stepsEach, stepsDone: 50 });
  });

  test("the words may be spread over a task and its steps", () => {
    const { tasks, matching } = selected({ words: ["TASK 7", "STEP 99"] });
    expect([tasks.map(({ taskId }) => taskId), matching]).toEqual([[8], 1]);
  });
});

describe("wordsFrom()", () => {
  test("each word once, whatever its case", () => {
    expect(wordsFrom(["a", "ß", "A", "SS"])).toEqual(["A", "SS"]);
  });

  test("more than anybody looks for is refused", () => {
    expect(wordsFrom(["x".repeat(taskQueryCharsMax)])).toHaveLength(1);
    expect(() => wordsFrom(Array<string>(taskQueryCharsMax + 1).fill("x"))).toThrow(
      "The search words have 1,001 characters; the limit is 1,000",
    );
  });
});
