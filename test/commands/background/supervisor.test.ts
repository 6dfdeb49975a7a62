import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Execution } from "../../../src/commands/background/execution.ts";
import { newOutput, outputText } from "../../../src/commands/background/output-store.ts";
import { Cancellation } from "../../../src/base/cancellation.ts";
import { isGroupAlive } from "../../../src/commands/process/processes.ts";
import { until } from "../process/until.ts";
import { groupGone, SupervisorHarness } from "./supervisor-harness.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";

const textOf = (execution: Execution): string => {
  const shown = outputText(execution.output, 30_000);
  return shown.kind === "whole" ? shown.text : `${shown.head}…${shown.tail}`;
};

describe("Supervisor.runForeground()", () => {
  const rows: [string, string, object][] = [
    ["a command that ends well", "echo a", { state: "exited", text: "a\n", exitCode: 0 }],
    ["one that fails", "echo a; exit 3", { state: "failed", text: "a\n", exitCode: 3 }],
    ["one that a signal ends", "kill -9 $$", { state: "failed", text: "", exitCode: null }],
    [
      "a second shell of the same kind",
      "echo $((1+1))",
      { state: "exited", text: "2\n", exitCode: 0 },
    ],
    [
      "a syntax error in the first line, which is shown as it was written",
      "echo (",
      { state: "failed", text: expect.stringMatching(/line 1: `echo \('\n$/), exitCode: 2 },
    ],
    [
      "one in the third line",
      "echo a\n\nb )",
      {
        state: "failed",
        text: expect.stringMatching(/^a\n.*line 3: `b \)'\n$/s),
        exitCode: 2,
      },
    ],
    [
      "what the shell says that it runs",
      "echo $BASH_EXECUTION_STRING ${REPLY-none}",
      { state: "exited", text: "echo $BASH_EXECUTION_STRING ${REPLY-none} none\n", exitCode: 0 },
    ],
  ];
  test.each(rows)("%s", async (_name, command, expected) => {
    await using harness = new SupervisorHarness();
    for (let round = 0; round < 3; round++) {
      const { kind, execution } = (await harness.foreground(command)) as {
        kind: string;
        execution: Execution;
      };
      const { state, exit } = execution;
      const seen = { kind, state, text: textOf(execution), exitCode: exit?.exitCode ?? null };
      expect<object>(seen).toEqual({ kind: "ended", ...expected });
      // From the second round on it begins in a shell that waited.
      await until(hasWaitingShell);
    }
  });

  test("a timeout ends the command and all that it started", async () => {
    await using harness = new SupervisorHarness();
    const outcome = await harness.foreground("echo a; sleep 300 & sleep 300", { timeoutMs: 50 });
    if (outcome.kind !== "ended") throw new Error("it was handed over");
    const { execution } = outcome;
    expect([execution.state, execution.endReason, textOf(execution)]).toEqual([
      "timed_out",
      "timeout",
      "a\n",
    ]);
    await groupGone(execution.pid);
  });

  test("a cancel ends the command and all that it started", async () => {
    await using harness = new SupervisorHarness();
    const cancellation = new Cancellation();
    const onOutput = (): void => cancellation.cancel();
    const outcome = await harness.foreground("echo a; sleep 300 & sleep 300", {
      cancellation,
      onOutput,
    });
    if (outcome.kind !== "ended") throw new Error("it was handed over");
    expect([outcome.execution.state, outcome.execution.endReason]).toEqual(["killed", "cancelled"]);
    await groupGone(outcome.execution.pid);
  });

  test("a call that was cancelled before starts nothing", async () => {
    await using harness = new SupervisorHarness();
    const cancellation = new Cancellation();
    const pending = harness.foreground("touch started", { cancellation });
    cancellation.cancel();
    const failure: unknown = await pending.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "cancelled" });
    expect([...harness.launcher.live]).toEqual([]);
    expect(existsSync(join(harness.folder, "started"))).toBe(false);
  });

  test("a survivor that ignores TERM does not hold the answer up, nor does it stay", async () => {
    await using harness = new SupervisorHarness();
    const outcome = await harness.foreground(
      "(trap '' TERM; while :; do sleep 1; done) & echo done",
    );
    if (outcome.kind !== "ended") throw new Error("it was handed over");
    expect([outcome.execution.state, textOf(outcome.execution)]).toEqual(["exited", "done\n"]);
    await groupGone(outcome.execution.pid);
  });

  test("at the client's limit the command becomes a task: read so far and later are the whole", async () => {
    await using harness = new SupervisorHarness();
    const command = "for i in $(seq 200); do echo line $i; sleep 0.002; done; printf 'no end'";
    const outcome = await harness.foreground(command, { answerAt: performance.now() + 100 });
    if (outcome.kind !== "handed_over") throw new Error("it ended");
    const { task } = outcome;
    const { execution } = task;
    let text = "";
    while (execution.isRunning) {
      const fresh = newOutput(execution.output, task.cursor, false);
      text += fresh.stretches.join("");
      task.cursor = fresh.linesTo;
      await Bun.sleep(20);
    }
    text += newOutput(execution.output, task.cursor, true).stretches.join("");
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join("");
    expect(text).toBe(`${lines}no end`);
    expect([task.id, execution.state]).toEqual([1, "exited"]);
  });

  test("a command that was handed over still has its own timeout", async () => {
    await using harness = new SupervisorHarness();
    const outcome = await harness.foreground("sleep 300", {
      answerAt: performance.now(),
      timeoutMs: 100,
    });
    if (outcome.kind !== "handed_over") throw new Error("it ended");
    await outcome.task.execution.ended;
    expect(outcome.task.execution.state).toBe("timed_out");
  });

  test.each([
    [true, "ended", "exited"],
    [false, "handed_over", "running"],
  ])(
    "when the answer is due and the client was answered otherwise (%p): %s",
    async (isAnswered, kind, state) => {
      await using harness = new SupervisorHarness();
      const goOn = join(harness.folder, "go-on");
      const outcome = await harness.foreground(`until [ -e ${goOn} ]; do sleep 0.01; done`, {
        answerAt: performance.now() + 20,
        onAnswerDue: () => {
          if (isAnswered) writeFileSync(goOn, "");
          return isAnswered;
        },
      });
      const execution = outcome.kind === "ended" ? outcome.execution : outcome.task.execution;
      expect([outcome.kind, execution.state]).toEqual([kind, state] as never);
    },
  );

  test("a longer output is in the saved file to the byte", async () => {
    await using harness = new SupervisorHarness();
    const outcome = await harness.foreground("seq 1 200000", { saveAfterBytes: 100 });
    const whole = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join("");
    if (outcome.kind !== "ended") throw new Error("it was handed over");
    const { savedOutput } = outcome.execution;
    expect(readFileSync(savedOutput?.path ?? "", "utf8")).toBe(whole);
    expect(savedOutput?.problem).toBeUndefined();
  });

  test("a command of 1 MB runs from a private file that is gone afterwards", async () => {
    await using harness = new SupervisorHarness();
    const padding = "x".repeat(1_000_000);
    const command = `echo "$0"; stat -c %a "$0"; : ${padding}; echo end`;
    const outcome = await harness.foreground(command);
    if (outcome.kind !== "ended") throw new Error("it was handed over");
    const [file = "", mode, end] = textOf(outcome.execution).split("\n");
    expect([mode, end]).toEqual(["600", "end"]);
    await until(() => !existsSync(file));
  });

  test("a program that is missing leaves nothing behind", async () => {
    await using harness = new SupervisorHarness();
    const failure: unknown = await harness
      .foreground("true", { cwd: "/nowhere/at/all" })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "system" });
    expect([...harness.launcher.live]).toEqual([]);
  });

  test("U-fd: descriptors of a command are 0, 1 and 2, in a shell that waited too", async () => {
    await using harness = new SupervisorHarness();
    const command = "for n in {0..99}; do [ -e /proc/$$/fd/$n ] && printf $n; done; true";
    const seen: string[] = [];
    for (let round = 0; round < 4; round++) {
      const outcome = await harness.foreground(command);
      if (outcome.kind === "ended") seen.push(textOf(outcome.execution));
      await until(hasWaitingShell);
    }
    expect(seen).toEqual(Array(4).fill("012"));
  });
});

describe("Supervisor, background tasks", () => {
  test("each client has ids and tasks of its own", async () => {
    await using harness = new SupervisorHarness();
    const first = await harness.background("sleep 300", "a");
    const second = await harness.background("sleep 300", "b");
    expect([first.id, second.id]).toEqual([1, 1]);
    await harness.supervisor.endClient("a");
    await first.execution.ended;
    expect([first.execution.state, second.execution.state]).toEqual(["killed", "running"]);
    expect(harness.supervisor.tasksOf("a").list()).toEqual([]);
  });

  test("the reason that came first stays", async () => {
    await using harness = new SupervisorHarness();
    const { execution } = await harness.background("sleep 300");
    void execution.terminate("killed", 100);
    await execution.terminate("shutdown", 100);
    await execution.ended;
    await execution.terminate("cancelled", 100);
    expect([execution.state, execution.endReason]).toEqual(["killed", "killed"]);
  });

  test("endBy() ends everything within two graces, and nothing is started after it", async () => {
    await using harness = new SupervisorHarness();
    const stubborn = "trap '' TERM; echo up; while :; do sleep 0.1; done";
    const tasks = await Promise.all(
      [stubborn, "sleep 300", stubborn].map((text) => harness.background(text)),
    );
    await until(() => tasks.filter(({ execution }) => execution.output.end > 0).length === 2);
    const started = performance.now();
    await harness.supervisor[Symbol.asyncDispose]();
    expect(performance.now() - started).toBeLessThan(atThisLoad(1_500));
    expect(tasks.map(({ execution }) => isGroupAlive(execution.pid))).toEqual([
      false,
      false,
      false,
    ]);
    const failure: unknown = await harness.background("true").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "cancelled" });
  });

  test("endLive() ends what runs and what is about to start; later commands run", async () => {
    await using harness = new SupervisorHarness();
    const { execution } = await harness.background("sleep 300");
    const starting = harness.background("sleep 300").catch((error: unknown) => error);
    await harness.supervisor.endLive();
    await execution.ended;
    expect(execution.endReason).toBe("shutdown");
    expect(await starting).toMatchObject({ code: "cancelled" });
    expect(await harness.foreground("echo there")).toMatchObject({ kind: "ended" });
  });

  test("endBy() lasts until no shell waits any more: the guardian finds nothing to end", async () => {
    await using harness = new SupervisorHarness();
    await harness.foreground("echo $PPID");
    await until(hasWaitingShell);
    await harness.supervisor[Symbol.asyncDispose]();
    expect(hasWaitingShell()).toBe(false);
  });
});

/** Whether this process has a shell: one that waits, when no command runs. */
function hasWaitingShell(): boolean {
  return Bun.spawnSync(["pgrep", "-P", String(process.pid), "bash"]).stdout.length > 0;
}
