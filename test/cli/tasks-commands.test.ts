import { expect, test } from "bun:test";
import { existsSync } from "node:fs";

import { TempTree } from "../config/temp-tree.ts";
import { runIn } from "./fake-io.ts";

const task = (text: string, more: object = {}) => ({ text, isDone: false, steps: [], ...more });
const file = (...tasks: object[]): string => JSON.stringify({ tasks });
const some = file(
  task("Write the parser", { steps: [{ text: "tokens", isDone: true }, { text: "grammar" }] }),
  task("Largo\u001B[31m", { isDone: true }),
);

test("tasks of a folder go out and come in again, with new ids", async () => {
  using tree = new TempTree({ "project/some.json": some });
  const imported = await runIn(tree, ["tasks", "import", "some.json"]);
  expect([imported.exitCode, imported.stderr]).toEqual([
    0,
    "scorpiox-code: 2 tasks added, with the ids 1 to 2.\n",
  ]);
  const { stdout } = await runIn(tree, ["tasks", "export"]);
  const steps = [
    { text: "tokens", isDone: true },
    { text: "grammar", isDone: false },
  ];
  const first = { taskId: 1, text: "Write the parser", isDone: false, isCurrent: false, steps };
  const second = { taskId: 2, text: "Largo\uFFFD[31m", isDone: true, isCurrent: false, steps: [] };
  expect(JSON.parse(stdout)).toEqual({
    format: "scorpiox-tasks",
    version: 1,
    tasks: [first, second],
  });
  const again = await runIn(tree, ["tasks", "import", "-", "--json"], { stdin: [stdout] });
  expect(JSON.parse(again.stdout)).toEqual({ taskIds: [3, 4] });
});

test("tasks list shows ids, marks and steps; words and --pending choose", async () => {
  using tree = new TempTree({ "project/some.json": some });
  await runIn(tree, ["tasks", "import", "some.json"]);
  const all = await runIn(tree, ["tasks", "list"]);
  expect(all.stdout.split("\n")).toEqual([
    "[ ] 1. Write the parser",
    "    [x] 1. tokens",
    "    [ ] 2. grammar",
    "[x] 2. Largo\uFFFD[31m",
    "",
  ]);
  expect(all.stderr).toBe("scorpiox-code: 2 tasks, 1 pending.\n");
  const pending = await runIn(tree, ["tasks", "list", "PARSER", "--pending", "--json"]);
  expect(JSON.parse(pending.stdout)).toMatchObject({
    tasks: [{ taskId: 1, steps: [{ stepId: 2 }] }],
    leftOut: 0,
    total: 2,
  });
  const named = await runIn(tree, ["tasks", "list", "--workspace", "other"]);
  expect(named.stdout).toBe("");
});

test.each([
  [["tasks", "list"], ""],
  [["tasks", "export"], '{\n  "format": "scorpiox-tasks",\n  "version": 1,\n  "tasks": []\n}\n'],
])("%j where nothing was ever kept makes no file", async (argv, expected) => {
  using tree = new TempTree();
  const { exitCode, stdout } = await runIn(tree, argv);
  expect([exitCode, stdout]).toEqual([0, expected]);
  expect(existsSync(tree.path("home/.scorpiox"))).toBe(false);
});

test.each([
  ["{", 2, "bad.json is not JSON in UTF-8"],
  ["{}", 2, "bad.json has no tasks"],
  ['{"version":2,"tasks":[]}', 2, "has version 2; this program reads 1"],
  ['[{"text":5}]', 2, "bad.json: tasks[0].text must be a string"],
  ['[{"text":"a","isDone":1}]', 2, "tasks[0].isDone must be true or false"],
  ['[{"text":"a","steps":[null]}]', 2, "tasks[0].steps[0] must be an object"],
  ['[{"text":"a"},{"text":" "}]', 2, "Task 2 of the file: `text` is empty"],
])("a file with %j is refused as a whole", async (text, code, message) => {
  using tree = new TempTree({ "project/bad.json": text });
  const { exitCode, stderr } = await runIn(tree, ["tasks", "import", "bad.json"]);
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  expect((await runIn(tree, ["tasks", "list"])).stdout).toBe("");
});

test("a file that is not there is not found; a folder where the store must be is said", async () => {
  using tree = new TempTree({ "home/.scorpiox": "in the way", "project/a.json": file(task("a")) });
  expect(await runIn(tree, ["tasks", "import", "none.json"])).toMatchObject({ exitCode: 3 });
  const { exitCode, stderr } = await runIn(tree, ["tasks", "import", "a.json"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("must be a folder")]);
});
