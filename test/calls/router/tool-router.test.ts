import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cancellation } from "../../../src/base/cancellation.ts";
import type { ProgressUpdate } from "../../../src/calls/call.ts";
import { JobHost } from "../../../src/calls/router/job-host.ts";
import { catalogueCards } from "../../../src/tools/catalogue-cards.macro.ts";
import type { ReadReply } from "../../../src/tools/services.ts";
import type { ServiceCall } from "../../../src/tools/workers/messages.ts";
import { backgroundTask } from "../../commands/background/supervisor-harness.ts";
import { until } from "../../commands/process/until.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";
import { absentServices, absentState, noConfinements } from "../absent-services.ts";
import { RouterHarness } from "../router-harness.ts";

describe("ToolRouter", () => {
  test("a tool that is switched off is not known", async () => {
    await using harness = new RouterHarness((name) => name !== "Bash");
    const names = catalogueCards().map(({ listing }) => listing.name);
    const known = names.filter((name) => name !== "Bash");
    expect(await harness.call("Bash", { command: "true" })).toEqual({
      kind: "fault",
      fault: {
        code: -32602,
        message: `Unknown tool: Bash. Known tools: ${known.join(", ")}.`,
      },
      refusal: "invalid",
    });
  });

  test("Bash: the whole way and back", async () => {
    await using harness = new RouterHarness();
    const { content, structuredContent, isError } = await harness.result("Bash", {
      command: "pwd; echo err >&2; exit 3",
    });
    const output = `${harness.services.folder}\nerr\n`;
    expect([content, isError]).toEqual([[{ type: "text", text: `${output}exit code: 3` }], true]);
    expect<object>({ ...structuredContent, durationMs: 0 }).toEqual({
      output,
      exitCode: 3,
      signal: null,
      timedOut: false,
      durationMs: 0,
      truncated: false,
      outputFile: null,
      sandbox: null,
      taskId: null,
    });
  });

  test("a NUL character in a command is refused", async () => {
    await using harness = new RouterHarness();
    const { content, isError } = await harness.result("Bash", { command: "a\0b" });
    expect([content[0]?.text, isError]).toEqual([
      "`command` contains a NUL character, which no shell can take.",
      true,
    ]);
  });

  test("progress has the output as it comes, and none when streaming is off", async () => {
    const seen = await Promise.all(
      [true, false].map(async (isStreaming) => {
        await using harness = new RouterHarness(() => true, isStreaming);
        const messages: ProgressUpdate[] = [];
        const folder = mkdtempSync(join(tmpdir(), "scorpiox-progress-"));
        const isSeen = (count: number): string => join(folder, String(count));
        if (!isStreaming) for (const count of [1, 2]) writeFileSync(isSeen(count), "");
        const wait = (count: number): string =>
          `until [ -e ${isSeen(count)} ]; do sleep 0.02; done`;
        await harness.call(
          "Bash",
          { command: `echo one; ${wait(1)}; echo two; ${wait(2)}` },
          { onProgress: (message) => writeFileSync(isSeen(messages.push(message)), "") },
        );
        rmSync(folder, { recursive: true });
        return messages;
      }),
    );
    expect(seen).toEqual([["one", "two"], []]);
  });

  test("at the client's limit the call answers with a task, whose reads give the rest", async () => {
    await using harness = new RouterHarness();
    // Each pause is a process: there are fewer, and longer ones, than lines.
    const pause = "[ $((i % 10)) = 0 ] && sleep 0.04";
    const command = `for i in $(seq 100); do echo line $i; ${pause}; done; printf 'é€ end'`;
    const first = await harness.result("Bash", { command }, { answerMs: 120 });
    expect([first.structuredContent["taskId"], first.isError]).toEqual([1, false]);
    let output = String(first.structuredContent["output"]);
    for (let state: unknown = "running"; state === "running";) {
      const read = await harness.result("ReadBgOutput", { task_id: 1, wait_ms: 5_000 });
      output += String(read.structuredContent["output"]);
      state = read.structuredContent["state"];
    }
    output += await harness.read({});
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join("");
    expect(output).toBe(`${lines}é€ end`);
  });

  test("two reads at once give no byte twice and none is lost", async () => {
    await using harness = new RouterHarness();
    await harness.call("BackgroundBash", { command: "seq 1 500" });
    const { execution } = backgroundTask(harness.services, "client", 1);
    await execution.ended;
    const reads = await Promise.all([harness.read({}), harness.read({}), harness.read({})]);
    const whole = Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join("");
    expect(reads.sort()).toEqual(["", "", whole]);
    const summary = await harness.result("ListBgTasks", {});
    expect(summary.structuredContent["tasks"]).toMatchObject([{ taskId: 1, unreadBytes: 0 }]);
  });

  test("a read that is cancelled while it waits takes nothing away", async () => {
    await using harness = new RouterHarness();
    await harness.call("BackgroundBash", { command: "sleep 0.2; echo late; sleep 300" });
    const cancellation = new Cancellation();
    const pending = harness.call("ReadBgOutput", { task_id: 1, wait_ms: 60_000 }, { cancellation });
    setTimeout(() => cancellation.cancel(), 60);
    expect(await pending).toEqual({ kind: "cancelled" });
    expect(await harness.read({ wait_ms: 10_000 })).toBe("late\n");
    expect(await harness.read({})).toBe("");
  });

  test("a read that was cancelled before its Worker asked does not block the next", async () => {
    await using harness = new RouterHarness();
    await harness.call("BackgroundBash", { command: "echo a; sleep 300" });
    for (let round = 0; round < 20; round++) {
      const cancellation = new Cancellation();
      const pending = harness.call("ReadBgOutput", { task_id: 1 }, { cancellation });
      for (let turn = 0; turn < round; turn++) await Promise.resolve();
      if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
      cancellation.cancel();
      await pending;
    }
    expect(["a\n", ""]).toContain(await harness.read({ wait_ms: 2_000 }));
  });

  test("a cancelled command is ended with all that it started", async () => {
    await using harness = new RouterHarness();
    const cancellation = new Cancellation();
    const flag = join(harness.services.folder, "up");
    const command = `touch ${flag}; sleep 300 & sleep 300`;
    const pending = harness.call("Bash", { command }, { cancellation });
    await until(() => existsSync(flag));
    cancellation.cancel();
    expect(await pending).toEqual({ kind: "cancelled" });
    await until(() => [...harness.services.launcher.live].length === 0);
  });

  test("KillBgTask ends a task once and says the second time that it had ended", async () => {
    await using harness = new RouterHarness();
    await harness.call("BackgroundBash", { command: "sleep 300" });
    const kills = [];
    for (let round = 0; round < 2; round++) {
      const { content, structuredContent } = await harness.result("KillBgTask", { task_id: 1 });
      kills.push([content[0]?.text?.split(" after ")[0], structuredContent["wasRunning"]]);
    }
    expect(kills).toEqual([
      ["Task 1: killed (by KillBgTask)", true],
      ["Task 1 had already ended: killed (by KillBgTask)", false],
    ]);
  });
});

describe("JobHost", () => {
  const hostOf = (harness: RouterHarness, cancellation = new Cancellation()): JobHost => {
    const { supervisor, savedOutputs } = harness.services;
    const request = harness.request("ReadBgOutput", {}, { cancellation });
    return new JobHost(
      {
        supervisor,
        savedOutputs,
        isStreaming: true,
        ...absentServices,
        state: absentState,
        confinements: noConfinements,
      },
      request,
    );
  };
  const readCall = (waitMs: number, waitBeyond: number | null = null) =>
    ({
      kind: "call",
      jobId: 1,
      method: "background.read",
      request: { taskId: 1, from: null, waitBeyond, waitMs },
    }) as const;
  const valueOf = async (pending: ReturnType<JobHost["serve"]>): Promise<ReadReply> => {
    const reply = await pending;
    if (!("ok" in reply) || !reply.ok) throw new Error(JSON.stringify(reply));
    return reply.value as ReadReply;
  };

  test("a call that nobody waits for any more does nothing", async () => {
    await using harness = new RouterHarness();
    const cancellation = new Cancellation();
    cancellation.cancel();
    const call: ServiceCall = {
      kind: "call",
      jobId: 1,
      method: "background.start",
      request: { command: "true" },
    };
    const reply = await hostOf(harness, cancellation).serve(call, true);
    expect(reply).toEqual({ ok: false, code: "cancelled", message: "The call was cancelled." });
    expect(harness.services.supervisor.tasksOf("client").executions()).toEqual([]);
  });

  test("the wait for another read counts as waiting", async () => {
    await using harness = new RouterHarness();
    await harness.services.background("sleep 300");
    const first = hostOf(harness);
    const second = hostOf(harness);
    await valueOf(first.serve(readCall(0), false));
    const started = performance.now();
    const pending = valueOf(second.serve(readCall(200), false));
    await Bun.sleep(150);
    first.settle();
    await pending;
    expect(performance.now() - started).toBeLessThan(atThisLoad(320));
    second.settle();
  });

  test("a wait is for what comes after all that was seen, an unfinished line included", async () => {
    await using harness = new RouterHarness();
    const goOn = join(harness.services.folder, "go-on");
    const { execution } = await harness.services.background(
      `printf abc; until test -e '${goOn}'; do sleep 0.05; done; printf d; sleep 300`,
    );
    await until(() => execution.output.end === 3);
    const host = hostOf(harness);
    const first = await valueOf(host.serve(readCall(0), false));
    expect([first.partial, first.linesTo, first.seenTo]).toEqual(["abc", 0, 3]);
    const waiting = valueOf(host.serve(readCall(10_000, first.seenTo), false));
    writeFileSync(goOn, "");
    const second = await waiting;
    expect([second.partial, second.seenTo]).toEqual(["abcd", 4]);
    host.settle();
  });
});
