import { describe, expect, test } from "bun:test";

import type { GateStage } from "../../../src/calls/gate/gate-stage.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { notification } from "../../server/harness.ts";
import { FakeUpstreams, rights, snapshotOf, listing, textReply, tool } from "./fake-upstreams.ts";
import { GatewayHarness, said } from "./gateway-harness.ts";
import { backgroundTask } from "../../commands/background/supervisor-harness.ts";

const soon = { limits: { answerMs: 40 } };
const text =
  "mcp__files__read takes longer than this client waits, and goes on as background task 1. " +
  "Its result is read with ReadBgOutput (task_id 1; wait_ms waits for it), and KillBgTask gives it up. " +
  "Do not call it again.";

function never(): never {
  throw new Error("There was no call.");
}

describe("a call that takes longer than the client waits [GW-26]", () => {
  test("goes on as a background task, and its whole result is that task's output", async () => {
    await using harness = new GatewayHarness(soon);
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textReply>>();
    harness.upstreams.play = () => promise;
    await harness.initialize();
    expect(said(await harness.call("read", { path: "a" }))).toBe(text);
    const task = backgroundTask(harness.services, "stdio", 1);
    expect([task.execution.commandText, task.execution.state, task.execution.pid]).toEqual([
      'mcp__files__read {"path":"a"}',
      "running",
      0,
    ]);
    const long = `${"ä line\n".repeat(9_000)}end`;
    resolve(textReply(long));
    await task.execution.ended;
    const bytes = Buffer.concat(task.execution.output.read(0).map((segment) => segment.bytes));
    expect(bytes.toString()).toBe(`${long}\n`);
    expect([task.execution.state, task.execution.exit?.exitCode]).toEqual(["exited", 0]);
  });

  test("what is no text is in a file, whole", async () => {
    await using harness = new GatewayHarness(soon);
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textReply>>();
    harness.upstreams.play = () => promise;
    await harness.initialize();
    await harness.call("read");
    const task = backgroundTask(harness.services, "stdio", 1);
    const content = [{ type: "image", data: "AAAA", mimeType: "image/png" }];
    resolve(textReply("", { content, isError: true }));
    await task.execution.ended;
    const output = Buffer.concat(
      task.execution.output.read(0).map(({ bytes }) => bytes),
    ).toString();
    const [, path = ""] = /JSON: (.*)\]/.exec(output) ?? [];
    expect(output).toContain("[image image/png 3 bytes]");
    expect(await Bun.file(path).json()).toMatchObject({ content, isError: true });
    expect(task.execution.exit?.exitCode).toBe(1);
  });

  test("of a text that was cut, what it is known by is said once", async () => {
    await using harness = new GatewayHarness(soon);
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textReply>>();
    harness.upstreams.play = () => promise;
    await harness.initialize();
    await harness.call("read");
    const { execution } = backgroundTask(harness.services, "stdio", 1);
    const uri = "scorpiox://results/abc-0123456789abcdef";
    const link = { type: "resource_link", uri, name: "abc.txt", title: "The whole result" };
    resolve(textReply("", { content: [{ type: "text", text: "two ends" }, link] }));
    await execution.ended;
    const bytes = Buffer.concat(execution.output.read(0).map((segment) => segment.bytes));
    expect(bytes.toString()).toBe(`two ends\nThe whole result <${uri}>\n`);
  });

  test("hooks see its result and not what the client was told meanwhile", async () => {
    const seen: string[] = [];
    const stage: GateStage = {
      check: () => undefined,
      after(_call, outcome) {
        seen.push(JSON.stringify(outcome));
        return Promise.resolve({ lines: ["from a hook"] });
      },
    };
    await using harness = new GatewayHarness({ ...soon, gate: { stages: [stage] } });
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textReply>>();
    harness.upstreams.play = () => promise;
    await harness.initialize();
    expect(said(await harness.call("read"))).toBe(text);
    expect(seen).toEqual([]);
    const { execution } = backgroundTask(harness.services, "stdio", 1);
    resolve(textReply("whole"));
    await execution.ended;
    const bytes = Buffer.concat(execution.output.read(0).map((segment) => segment.bytes));
    expect([bytes.toString(), seen.length]).toEqual(["whole\n\nfrom a hook\n", 1]);
  });

  test("how far it is goes to those who wait for its output, and not into the output", async () => {
    await using harness = new GatewayHarness(soon);
    harness.upstreams.play = () => new Promise(() => {});
    await harness.initialize();
    await harness.call("read");
    const { execution } = backgroundTask(harness.services, "stdio", 1);
    const steps: string[] = [];
    const stop = execution.listenSteps((step) => steps.push(step));
    const [{ call, events } = never()] = harness.upstreams.calls;
    events.onProgress?.(1, 4, "one");
    events.onProgress?.(2, undefined, undefined);
    stop();
    events.onProgress?.(3, 4, undefined);
    expect([call.wantsProgress, steps, execution.output.end]).toEqual([
      true,
      ["1 of 4: one", "2"],
      0,
    ]);
  });

  test("KillBgTask gives it up", async () => {
    await using harness = new GatewayHarness(soon);
    harness.upstreams.play = () => new Promise(() => {});
    await harness.initialize();
    await harness.call("read");
    const { execution } = backgroundTask(harness.services, "stdio", 1);
    await execution.terminate("killed", 0);
    await execution.ended;
    await Bun.sleep(5);
    expect([execution.state, harness.upstreams.calls[0]?.signal.aborted]).toEqual(["killed", true]);
    expect(execution.output.end).toBe(0);
  });

  test("so does the end of its client", async () => {
    await using harness = new GatewayHarness(soon);
    harness.upstreams.play = () => new Promise(() => {});
    await harness.initialize();
    await harness.call("read");
    await harness.services.supervisor.endClient("stdio");
    expect(harness.upstreams.calls[0]?.signal.aborted).toBe(true);
  });

  test("a tool with a schema of its results does not break clients that demand such a result", async () => {
    const outputSchema = { type: "object" };
    const entry = tool("files", "read", { listing: listing("mcp__files__read", { outputSchema }) });
    const upstreams = new FakeUpstreams(snapshotOf({ tools: [entry] }));
    await using harness = new GatewayHarness({ ...soon, upstreams });
    upstreams.play = () => new Promise(() => {});
    await harness.initialize();
    expect(said(await harness.call("read"))).toEqual({ isError: text });
  });

  test("handover = false: it is waited for", async () => {
    const snapshot = snapshotOf({ rights: [rights("files", { handover: false })] });
    await using harness = new GatewayHarness({ ...soon, upstreams: new FakeUpstreams(snapshot) });
    harness.upstreams.play = async () => {
      await Bun.sleep(80);
      return textReply("late");
    };
    await harness.initialize();
    expect(said(await harness.call("read"))).toBe("late");
  });

  test("a client that takes MCP tasks gets one", async () => {
    await using harness = new GatewayHarness(soon);
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textReply>>();
    harness.upstreams.play = () => promise;
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const created = (await harness.modern(
      "tools/call",
      { name: "read" },
      capabilities,
    )) as unknown as {
      result: { resultType: string; taskId: string; statusMessage: string };
    };
    const { resultType, taskId, statusMessage } = created.result;
    expect([resultType, statusMessage]).toEqual(["task", "Waiting for mcp__files__read"]);
    resolve(textReply("whole"));
    const got = await eventually("the task is over", async () => {
      const reply = await harness.modern("tasks/get", { taskId }, capabilities);
      return JSON.stringify(reply).includes('"completed"') && reply;
    });
    expect(got).toMatchObject({ result: { result: { content: [{ text: "whole" }] } } });
    expect(harness.services.supervisor.tasksOf("stdio").executions()).toEqual([]);
  });
});

describe("progress [GW-27]", () => {
  test("is passed on under the client's token while it increases, and none after the answer", async () => {
    await using harness = new GatewayHarness();
    const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
    harness.upstreams.play = async ({ events }) => {
      events.onProgress?.(1, 4, "one");
      events.onProgress?.(1, 4, "again");
      events.onProgress?.(0, 4, "back");
      events.onProgress?.(3, 4, "three");
      await asked;
      queueMicrotask(() => setTimeout(() => events.onProgress?.(4, 4, "late"), 5));
      return textReply("done");
    };
    await harness.initialize();
    const calling = harness.call("read", {}, { _meta: { progressToken: "t" } });
    const progress = async (): Promise<unknown> =>
      (await harness.until(({ method }) => method === "notifications/progress"))["params"];
    expect(await progress()).toEqual({ progressToken: "t", progress: 1, total: 4, message: "one" });
    expect(await progress()).toEqual({
      progressToken: "t",
      progress: 3,
      total: 4,
      message: "three",
    });
    begin();
    expect(said(await calling)).toBe("done");
    const { length } = harness.transport.sent;
    await Bun.sleep(30);
    expect(harness.transport.sent.length).toBe(length);
    expect(harness.upstreams.calls[0]?.call.wantsProgress).toBe(true);
  });
});

describe("cancellation [GW-28]", () => {
  test("is passed on, and nothing follows", async () => {
    await using harness = new GatewayHarness();
    harness.upstreams.play = () => new Promise(() => {});
    await harness.initialize();
    void harness.send("tools/call", { name: "read" }, 5);
    await eventually("it is called", () => harness.upstreams.calls.length === 1);
    harness.transport.deliver(notification("notifications/cancelled", { requestId: 5 }));
    await eventually("it is told", () => harness.upstreams.calls[0]?.signal.aborted === true);
    const { length } = harness.transport.sent;
    expect(said(await harness.call("tool_search", { query: "a" }))).toBe("found a");
    expect(harness.transport.sent.length).toBe(length + 1);
  });

  test("takes back what the client is being asked", async () => {
    await using harness = new GatewayHarness();
    let heard = "";
    harness.upstreams.play = async ({ events }) => {
      const ask = events.ask({
        method: "elicitation/create",
        params: { message: "?", requestedSchema: { type: "object", properties: {} } },
      });
      await ask.catch((error: Error) => (heard = error.message));
      return textReply("done");
    };
    await harness.initialize({ elicitation: {} });
    void harness.send("tools/call", { name: "read" }, 5);
    await harness.until(({ method }) => method === "elicitation/create");
    harness.transport.deliver(notification("notifications/cancelled", { requestId: 5 }));
    await harness.until(({ method }) => method === "notifications/cancelled");
    await eventually("it is told", () => heard !== "");
  });
});
