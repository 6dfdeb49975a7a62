import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { Cancellation } from "../../../src/base/cancellation.ts";
import type { ReplyRecord } from "../../../src/base/reply-record.ts";
import { isKeptId, type KeptCommands } from "../../../src/calls/router/kept-commands.ts";
import type { ReadRequest, TaskSummary } from "../../../src/tools/services.ts";
import { RouterHarness } from "../router-harness.ts";

const task: TaskSummary = {
  taskId: 1_001,
  kind: "command",
  command: "serve",
  state: "running",
  exitCode: null,
  signal: null,
  endedBy: null,
  pid: 77,
  runtimeMs: 1_000,
  unreadBytes: 9,
  isKept: true,
};

/** Kept tasks that are noted and not run. */
class FakeKept implements KeptCommands {
  isDefault = false;
  refusal: string | undefined;
  has = true;
  endsWith: string | undefined;
  text = "printed\n";
  readonly started: string[] = [];
  readonly reads: ReadRequest[] = [];
  readonly killed: string[] = [];
  readonly deliveries: string[] = [];
  readonly #turn = { reading: Promise.resolve() };

  refusalFor(): Promise<string | undefined> {
    return Promise.resolve(this.refusal);
  }

  readonly noneUntil = 0;

  mayHave(): boolean {
    return this.has;
  }

  async start({ command }: { readonly command: string }) {
    this.started.push(command);
    return { task, ...(this.endsWith === undefined ? {} : { endsWith: this.endsWith }) };
  }

  async list(): Promise<readonly TaskSummary[]> {
    return [task];
  }

  async read(request: ReadRequest) {
    this.reads.push(request);
    if (request.taskId !== task.taskId) throw new AppError("not_found", "there is none");
    const to = this.text.length;
    const output = {
      stretches: [this.text],
      lostBytes: 0,
      linesTo: to,
      partial: "",
      partialTo: to,
    };
    return { task, ...output, seenTo: to, end: to + 20 };
  }

  async kill(taskId: number, by: string) {
    this.killed.push(`${taskId} ${by}`);
    return { task: { ...task, state: "killed" as const }, wasRunning: true };
  }

  delivery(taskId: number, to: number): ReplyRecord {
    const note = (what: string) => (): void => void this.deliveries.push(`${taskId} ${to}${what}`);
    return {
      given: note(" given"),
      withdrawn: note(" withdrawn"),
      taken: note(""),
      dropped: note(" dropped"),
    };
  }

  followed(): undefined {
    return undefined;
  }

  turnOf(): { reading: Promise<void> } {
    return this.#turn;
  }
}

describe("BackgroundBash", () => {
  test("keep: true has the command kept, and says that it goes on", async () => {
    const kept = new FakeKept();
    await using harness = new RouterHarness(undefined, undefined, kept);
    const { content, structuredContent } = await harness.result("BackgroundBash", {
      command: "serve",
      keep: true,
    });
    expect(kept.started).toEqual(["serve"]);
    expect(content[0]?.text).toBe(
      "Started in the background as task_id: 1001 (pid 77). Read its output with ReadBgOutput. " +
        "It goes on when this client ends; later clients of this workspace have it under the same task_id.",
    );
    expect(structuredContent).toMatchObject({ taskId: 1_001, isKept: true });
    kept.endsWith = "code (process 12)";
    const told = await harness.result("BackgroundBash", { command: "serve", keep: true });
    expect(told.content[0]?.text).toEndWith("but it ends with code (process 12).");
  });

  test.each([
    ["BG_PERSIST=0", "The command cannot be kept: BG_PERSIST=0."],
    [undefined, "The command cannot be kept: this program keeps none."],
  ])("keep: true is refused with the reason: %s", async (refusal, message) => {
    const kept = new FakeKept();
    kept.refusal = refusal;
    const given = refusal === undefined ? undefined : kept;
    await using harness = new RouterHarness(undefined, undefined, given);
    const result = await harness.result("BackgroundBash", { command: "serve", keep: true });
    expect([result.content[0]?.text, result.isError]).toEqual([message, true]);
    expect(harness.services.supervisor.tasksOf("client").executions()).toEqual([]);
  });

  test("keeps a command without keep where that is the default, and says why it cannot", async () => {
    const kept = new FakeKept();
    kept.isDefault = true;
    await using harness = new RouterHarness(undefined, undefined, kept);
    await harness.call("BackgroundBash", { command: "one" });
    await harness.call("BackgroundBash", { command: "two", keep: false });
    kept.refusal = "kept tasks run under the hub, and HUB=off";
    const { content } = await harness.result("BackgroundBash", { command: "three" });
    expect(kept.started).toEqual(["one"]);
    expect(content[0]?.text).toEndWith(
      "It ends with this client, and could not be kept: kept tasks run under the hub, and HUB=off.",
    );
    const own = harness.services.supervisor.tasksOf("client").executions();
    expect(own.map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe("the other tools", () => {
  test("list, read and end kept tasks by their ids, beside the client's own", async () => {
    const kept = new FakeKept();
    await using harness = new RouterHarness(undefined, undefined, kept);
    await harness.call("BackgroundBash", { command: "echo own" });
    const { content } = await harness.result("ListBgTasks", {});
    expect(content[0]?.text?.split("\n").map((line) => line.split(":")[0])).toEqual([
      "task_id 1",
      "task_id 1001 (kept)",
    ]);
    const read = await harness.result("ReadBgOutput", { task_id: 1_001, wait_ms: 5 });
    expect(read.structuredContent).toMatchObject({ output: "printed\n", unreadBytes: 20 });
    expect(read.content[0]?.text).toEndWith("Task 1001: running for 1.0 s, 20 bytes unread.");
    expect(kept.deliveries).toEqual(["1001 8"]);
    await harness.call("KillBgTask", { task_id: 1_001 });
    expect(kept.killed).toEqual(["1001 killed"]);
  });

  test("ask nobody where there can be none", async () => {
    const kept = new FakeKept();
    kept.has = false;
    await using harness = new RouterHarness(undefined, undefined, kept);
    const list = await harness.result("ListBgTasks", {});
    expect(list.content[0]?.text).toBe("No background tasks.");
    for (const tool of ["ReadBgOutput", "KillBgTask"]) {
      const { content, isError } = await harness.result(tool, { task_id: 1_001 });
      expect([content[0]?.text, isError]).toEqual([
        "No background task has the id 1001. This workspace has no kept background tasks.",
        true,
      ]);
    }
    expect([kept.reads, kept.killed]).toEqual([[], []]);
  });

  test("a cancelled read takes nothing away", async () => {
    const kept = new FakeKept();
    await using harness = new RouterHarness(undefined, undefined, kept);
    const cancellation = new Cancellation();
    kept.read = () => new Promise(() => cancellation.cancel());
    const outcome = await harness.call("ReadBgOutput", { task_id: 1_001 }, { cancellation });
    expect([outcome.kind, kept.deliveries]).toEqual(["cancelled", []]);
  });
});

test("isKeptId: no id of a client's own tasks", () => {
  expect([1_000, 1_001, 1_000_000, 1_000_001].map(isKeptId)).toEqual([false, true, true, false]);
});
