import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { Cancellation } from "../../src/base/cancellation.ts";
import { FaultError } from "../../src/calls/ask-client.ts";
import type { CallOutcome, CallRequest, TaskOptions } from "../../src/calls/call.ts";
import { isGroupAlive } from "../../src/commands/process/processes.ts";
import { catalogueCards } from "../../src/tools/catalogue-cards.macro.ts";
import { until } from "../commands/process/until.ts";
import { programResult, type Result, RouterHarness } from "./router-harness.ts";

/** A call of a client that takes MCP tasks. */
interface TaskCall {
  /** The options of each time that the call has become one. */
  readonly made: TaskOptions[];
  readonly cancellation: Cancellation;
  readonly outcome: Promise<CallOutcome>;
  readonly result: () => Promise<Result>;
}

function call(
  harness: RouterHarness,
  name: string,
  args: object,
  more: Partial<CallRequest> & { answerMs?: number } = {},
): TaskCall {
  const made: TaskOptions[] = [];
  const cancellation = new Cancellation();
  const becomeTask = (options: TaskOptions = {}): void => void made.push(options);
  const outcome = harness.call(name, args, {
    version: "2026-07-28",
    cancellation,
    becomeTask,
    ...more,
  });
  const result = async (): Promise<Result> => {
    const settled = await outcome;
    if (settled.kind !== "result") throw new Error(`it is a ${settled.kind}`);
    return programResult(settled);
  };
  return { made, cancellation, outcome, result };
}

/** There is no room for another one. */
const refuse = (): never => {
  throw new FaultError({ code: -32603, message: "too many" });
};

const backgroundTasks = async (harness: RouterHarness): Promise<unknown> => {
  const { structuredContent } = await harness.result("ListBgTasks", {});
  return structuredContent["tasks"];
};

/** Waits until the commands that run are as many; returns their process groups. */
async function groups(harness: RouterHarness, count: number): Promise<number[]> {
  const { launcher } = harness.services;
  await until(() => [...launcher.live].length === count);
  return [...launcher.live].map(({ pid }) => pid);
}

test.each([
  ["Bash", "optional"],
  ["BackgroundBash", "optional"],
  ["ReadBgOutput", "none"],
  ["ListBgTasks", "none"],
  ["KillBgTask", "none"],
])("the task support of %p is %p", (name, support) => {
  const card = catalogueCards().find(({ listing }) => listing.name === name);
  expect(card?.taskSupport).toBe(support as "none");
});

describe("Bash for a client that takes MCP tasks", () => {
  test("a command that ends in time is answered as usual", async () => {
    await using harness = new RouterHarness();
    const { made, result } = call(harness, "Bash", { command: "echo a" }, { answerMs: 60_000 });
    expect((await result()).content).toEqual([{ type: "text", text: "a\n" }]);
    expect(made).toEqual([]);
  });

  test("when the client must be answered it becomes one, and its result is the usual one", async () => {
    await using harness = new RouterHarness();
    const goOn = join(harness.services.folder, "go-on");
    const command = "echo a; until [ -e go-on ]; do sleep 0.01; done; echo b; exit 3";
    const args = { command, timeout: 50_000 };
    const { made, result } = call(harness, "Bash", args, { answerMs: 40 });
    await until(() => made.length > 0);
    await Bun.write(goOn, "");
    const { content, structuredContent, isError } = await result();
    expect(made).toEqual([{ statusMessage: `Running: ${command}`, ttlMs: 50_000 + 3_600_000 }]);
    expect(content).toEqual([{ type: "text", text: "a\nb\nexit code: 3" }]);
    expect([structuredContent["taskId"], structuredContent["exitCode"], isError]).toEqual([
      null,
      3,
      true,
    ]);
    expect(await backgroundTasks(harness)).toEqual([]);
  });

  test("its timeout still counts", async () => {
    await using harness = new RouterHarness();
    const args = { command: "sleep 300", timeout: 200 };
    const { made, result } = call(harness, "Bash", args, { answerMs: 40 });
    const { structuredContent } = await result();
    expect([made.length, structuredContent["timedOut"]]).toEqual([1, true]);
  });

  test("its cancellation ends the whole process group", async () => {
    await using harness = new RouterHarness();
    const args = { command: "sleep 300 & sleep 300" };
    const { made, cancellation, outcome } = call(harness, "Bash", args, { answerMs: 40 });
    await until(() => made.length > 0);
    const [group = 0] = await groups(harness, 1);
    cancellation.cancel();
    expect(await outcome).toEqual({ kind: "cancelled" });
    await until(() => !isGroupAlive(group));
  });

  test("without room it goes on in the background", async () => {
    await using harness = new RouterHarness();
    const more = { answerMs: 40, becomeTask: refuse };
    const { result } = call(harness, "Bash", { command: "sleep 300" }, more);
    expect((await result()).structuredContent["taskId"]).toBe(1);
  });
});

describe("BackgroundBash for a client that takes MCP tasks", () => {
  const rows: [string, number, string, boolean][] = [
    ["exit 0", 0, "exited with code 0 after", false],
    ["exit 3", 3, "failed with exit code 3 after", true],
  ];
  test.each(rows)("%p: the task ends with the command", async (command, exitCode, end, isError) => {
    await using harness = new RouterHarness();
    const { made, result } = call(harness, "BackgroundBash", { command });
    const { content, structuredContent, isError: failed } = await result();
    expect(made).toEqual([{ statusMessage: `Background task 1: ${command}`, ttlMs: null }]);
    const [first = "", second = ""] = content[0]?.text?.split("\n") ?? [];
    expect(first).toStartWith("Started in the background as task_id: 1 (pid ");
    expect(second).toStartWith(`Task 1: ${end}`);
    expect([structuredContent["exitCode"], failed]).toEqual([exitCode, isError]);
  });

  test("the other tools know it; KillBgTask ends it", async () => {
    await using harness = new RouterHarness();
    const { made, result } = call(harness, "BackgroundBash", { command: "echo up; sleep 300" });
    await until(() => made.length > 0);
    expect(await harness.read({ wait_ms: 10_000 })).toBe("up\n");
    await harness.result("KillBgTask", { task_id: 1 });
    const { content, structuredContent, isError } = await result();
    expect(content[0]?.text).toContain("\nTask 1: killed (by KillBgTask) after ");
    expect([structuredContent["state"], isError]).toEqual(["killed", false]);
  });

  test("its cancellation ends the whole process group", async () => {
    await using harness = new RouterHarness();
    const { made, cancellation, outcome } = call(harness, "BackgroundBash", {
      command: "sleep 300 & sleep 300",
    });
    await until(() => made.length > 0);
    const [group = 0] = await groups(harness, 1);
    cancellation.cancel();
    expect(await outcome).toEqual({ kind: "cancelled" });
    await until(() => !isGroupAlive(group));
    await groups(harness, 0);
    expect(await backgroundTasks(harness)).toMatchObject([
      { state: "killed", endedBy: "cancelled" },
    ]);
  });

  test("without room, or without the extension, it is answered at once", async () => {
    await using harness = new RouterHarness();
    const started = expect.objectContaining({ state: "running" }) as object;
    for (const becomeTask of [refuse, undefined]) {
      const more = becomeTask === undefined ? {} : { becomeTask };
      const { structuredContent } = await harness.result(
        "BackgroundBash",
        { command: "sleep 300" },
        { version: "2026-07-28", ...more },
      );
      expect(structuredContent).toEqual(started as never);
    }
  });
});
