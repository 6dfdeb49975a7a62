import { describe, expect, test } from "bun:test";

import { shownCommandCharsMax } from "../../src/base/limits.ts";
import { backgroundBash } from "../../src/tools/background-bash.ts";
import { bash } from "../../src/tools/bash.ts";
import { killBgTask } from "../../src/tools/kill-bg-task.ts";
import { listBgTasks } from "../../src/tools/list-bg-tasks.ts";
import type { RunReply } from "../../src/tools/services.ts";
import { endedRun, FakeBackground, fakeContext, runningTask } from "./fake-context.ts";

describe("Bash", () => {
  const cut = {
    kind: "cut",
    head: "a\n",
    tail: "z\n",
    omittedBytes: 12_345,
    totalBytes: 12_349,
  } as const;
  const saved = {
    path: "/tmp/whole output.txt",
    problem: null,
    uri: "scorpiox://results/a-1",
    taskId: 5,
  };
  const rows: [string, Partial<RunReply>, string, boolean][] = [
    ["no output", {}, "(no output)", false],
    ["output", { output: { kind: "whole", text: "hi\n" } }, "hi\n", false],
    ["exit code", { exitCode: 3 }, "exit code: 3", true],
    [
      "exit code after an unfinished line",
      { exitCode: 1, output: { kind: "whole", text: "x" } },
      "x\nexit code: 1",
      true,
    ],
    ["signal", { exitCode: null, signal: "SIGKILL" }, "ended by signal: SIGKILL", true],
    [
      "timeout",
      { exitCode: null, signal: "SIGTERM", timedOut: true },
      "timed out after 30.0 s and was ended by SIGTERM. Set a longer `timeout` (ms), or use BackgroundBash.",
      true,
    ],
    [
      "timeout of a command that says how it ends",
      { exitCode: 143, timedOut: true, durationMs: 30_200 },
      "timed out after 30.0 s and was ended (exit code: 143 (SIGTERM)). Set a longer `timeout` (ms), or use BackgroundBash.",
      true,
    ],
    ["a second", { durationMs: 1_000 }, "(no output)", false],
    ["more than a second", { durationMs: 1_001 }, "took 1.0 s", false],
    [
      "more than a second, and a failure",
      { durationMs: 75_000, exitCode: 2, output: { kind: "whole", text: "a\n" } },
      "a\nexit code: 2\ntook 1 min 15 s",
      true,
    ],
    [
      "hand-over",
      { taskId: 4, exitCode: null, durationMs: 55_000, output: { kind: "whole", text: "on\n" } },
      "on\nStill running after 55.0 s: it continues in the background as task_id: 4. " +
        "Read its output with ReadBgOutput (wait_ms to wait); end it with KillBgTask.",
      false,
    ],
    [
      "lost",
      { isLost: true, exitCode: null },
      "The command could not be ended, not even with SIGKILL, and may still be running.",
      true,
    ],
    [
      "cut",
      { output: { ...cut, saved } },
      "a\n[... 12,345 of 12,349 bytes are left out here. ReadBgOutput with task_id 5 reads on from here; the whole output is in /tmp/whole output.txt and can be read as scorpiox://results/a-1 ...]\nz\n",
      false,
    ],
    [
      "cut and only partly saved",
      { output: { ...cut, saved: { ...saved, problem: "disk full" } } },
      "a\n[... 12,345 of 12,349 bytes are left out here. ReadBgOutput with task_id 5 reads on from here; the whole output is in /tmp/whole output.txt (disk full) and can be read as scorpiox://results/a-1 ...]\nz\n",
      false,
    ],
    [
      "cut and not saved",
      { output: { ...cut, saved: null } },
      "a\n[... 12,345 of 12,349 bytes are left out here; the whole could not be saved: ask for less ...]\nz\n",
      false,
    ],
    [
      "a process that was left running",
      { leftBehind: 1, exitCode: 2 },
      "exit code: 2\nThe command left 1 process running, which was ended. Start long-running processes with BackgroundBash.",
      true,
    ],
    [
      "processes whose number is not known",
      { leftBehind: null },
      "The command left processes running, which were ended. Start long-running processes with BackgroundBash.",
      false,
    ],
    [
      "terminal colours",
      { output: { kind: "whole", text: "\u001b[1;31mred\u001b[0m\n" } },
      "red\n",
      false,
    ],
  ];
  test.each(rows)("text and isError: %s", async (_name, part, text, isError) => {
    const background = new FakeBackground();
    background.run = () => Promise.resolve({ ...endedRun, ...part });
    const result = await bash.handler(
      { command: "x", timeout: 30_000 },
      fakeContext({ background }),
    );
    expect({ text: result.text, isError: result.isError }).toEqual({ text, isError });
  });

  test("structured result and link of an output that was cut", async () => {
    const background = new FakeBackground();
    background.run = () => Promise.resolve({ ...endedRun, output: { ...cut, saved } });
    const result = await bash.handler({ command: "x", timeout: 1 }, fakeContext({ background }));
    expect(result.structured).toEqual({
      output:
        "a\n[... 12,345 of 12,349 bytes are left out here. ReadBgOutput with task_id 5 reads on from here; the whole output is in /tmp/whole output.txt and can be read as scorpiox://results/a-1 ...]\nz\n",
      exitCode: 0,
      signal: null,
      timedOut: false,
      durationMs: 12,
      truncated: true,
      outputFile: "/tmp/whole output.txt",
      taskId: null,
      sandbox: null,
    });
    expect(result.links).toEqual([
      {
        type: "resource_link",
        uri: "scorpiox://results/a-1",
        name: "whole output",
        mimeType: "text/plain",
      },
    ]);
  });
});

test.each([
  [0, "a\nsandbox: One. Two."],
  [3, "a\nexit code: 3\nsandbox: One. Two."],
])("Bash says in what a command ran that ended with %p", async (exitCode, text) => {
  const background = new FakeBackground();
  const output = { kind: "whole", text: "a\n" } as const;
  const reply = { ...endedRun, exitCode, output, notes: ["One.", "Two."] };
  background.run = () => Promise.resolve(reply);
  const result = await bash.handler({ command: "x", timeout: 1 }, fakeContext({ background }));
  expect([result.text, result.structured?.sandbox]).toEqual([text, "sandbox: One. Two."]);
});

test("BackgroundBash says in what its command runs", async () => {
  const background = new FakeBackground();
  background.start = () => Promise.resolve({ task: runningTask, notes: ["One."] });
  const result = await backgroundBash.handler({ command: "x" }, fakeContext({ background }));
  expect(result.text).toEndWith("Read its output with ReadBgOutput.\nsandbox: One.");
  expect(result.structured).toEqual({ ...runningTask, sandbox: "sandbox: One." });
});

test("BackgroundBash says the id and the pid", async () => {
  const result = await backgroundBash.handler({ command: "x" }, fakeContext());
  expect(result.text).toStartWith("Started in the background as task_id: 7 (pid 4242).");
});

test.each([
  [true, "Task 7: running for 3.2 s."],
  [false, "Task 7 had already ended: running for 3.2 s. No signal was sent."],
])("KillBgTask, task was running %p: %s", async (wasRunning, text) => {
  const background = new FakeBackground();
  background.kill = () => Promise.resolve({ task: runningTask, wasRunning });
  const result = await killBgTask.handler({ task_id: 7 }, fakeContext({ background }));
  expect(result).toEqual({ text, structured: { ...runningTask, wasRunning } });
});

test("ListBgTasks has a line for each task", async () => {
  const tasks = [runningTask, { ...runningTask, taskId: 8, unreadBytes: 1_500, command: "a\nb" }];
  const lines =
    "task_id 7: running for 3.2 s, pid 4242: make all\n" +
    "task_id 8: running for 3.2 s, pid 4242, 1,500 bytes unread: a b";
  const snapshots = { backgroundTasks: tasks };
  const result = await listBgTasks.handler({}, fakeContext({ snapshots }));
  expect(result.text).toBe(lines);
  const none = await listBgTasks.handler({}, fakeContext());
  expect(none).toEqual({ text: "No background tasks.", structured: { tasks: [] } });
});

test.each([
  [30_000, 64, 192],
  [20_000, 64, 192],
  [30_000, 0, 256],
])(
  "ListBgTasks keeps within %d characters, in both forms: %d run, %d have ended",
  async (resultCharsMax, running, ended) => {
    const command = "x".repeat(shownCommandCharsMax);
    const tasks = Array.from({ length: running + ended }, (_, index) => ({
      ...runningTask,
      taskId: index + 1,
      command,
      state: index % 4 === 0 && index / 4 < running ? ("running" as const) : ("exited" as const),
    }));
    const limits = { answerMs: null, resultCharsMax };
    const context = fakeContext({ snapshots: { backgroundTasks: tasks }, limits });
    const { text, structured } = await listBgTasks.handler({}, context);
    const { tasks: shown = [], notes = [] } = structured ?? {};
    expect(Math.max(text.length, JSON.stringify(structured).length)).toBeLessThanOrEqual(
      resultCharsMax,
    );
    expect(text.split("\n")).toHaveLength(shown.length + 1);
    expect(notes).toEqual([
      `[${tasks.length - shown.length} more tasks are not shown here, those that ended first. ReadBgOutput still reads each of them.]`,
    ]);
    // Whatever still runs comes first, then what ended last.
    const isRunning = ({ state }: { state: string }): boolean => state === "running";
    const missing = tasks.filter(({ taskId }) => !shown.some((task) => task.taskId === taskId));
    if (missing.some(isRunning)) expect(shown.every(isRunning)).toBe(true);
    else
      expect(missing.at(-1)?.taskId ?? 0).toBeLessThan(
        shown.findLast((task) => !isRunning(task))?.taskId ?? 0,
      );
  },
);
