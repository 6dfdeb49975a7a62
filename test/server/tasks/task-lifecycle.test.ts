import { describe, expect, test } from "bun:test";
import { FaultError, InputNeeded } from "../../../src/calls/ask-client.ts";
import { modern, notification, tasksCapability } from "../harness.ts";
import {
  accepted,
  acknowledged,
  echo,
  fields,
  form,
  start,
  startTask,
  type WithTask,
} from "./task-harness.ts";

describe("MCP tasks, ids and parameters (pitfall 14: -32602 against -32021)", () => {
  test.each<[string, object]>([
    ["tasks/get", { taskId: "0".repeat(32) }],
    ["tasks/get", { taskId: "__proto__" }],
    ["tasks/get", { taskId: "" }],
    ["tasks/get", { taskId: 1 }],
    ["tasks/get", { taskId: undefined }],
    ["tasks/cancel", { taskId: "0".repeat(32) }],
    ["tasks/cancel", { taskId: null }],
    ["tasks/update", { taskId: "0".repeat(32), inputResponses: {} }],
    ["tasks/update", { taskId: undefined, inputResponses: {} }],
    ["tasks/update", {}],
    ["tasks/update", { inputResponses: null }],
    ["tasks/update", { inputResponses: [] }],
    ["tasks/update", { inputResponses: "x" }],
  ])("%s with %p: -32602", async (method, params) => {
    const { ask } = await startTask();
    expect(await ask(method, params)).toMatchObject({
      code: -32602,
      message: expect.stringContaining("Invalid params: ") as string,
    });
  });
});

describe("MCP tasks, ends (pitfall 14: completed with isError against failed)", () => {
  const json = '{"content":[],"isError":true,"resultType":"complete"}';
  test.each<[string, (task: WithTask) => void, object]>([
    [
      "a result with isError completes it, and is inlined as it is",
      ({ tools }) => tools.answer(0, json),
      fields("completed", { result: JSON.parse(json) as unknown }),
    ],
    [
      "a fault fails it",
      ({ tools }) =>
        tools.calls[0]?.outcome.resolve({
          kind: "fault",
          fault: { code: -32603, message: "broken", data: { a: 1 } },
        }),
      fields("failed", {
        statusMessage: "broken",
        error: { code: -32603, message: "broken", data: { a: 1 } },
      }),
    ],
    [
      "a rejection with a fault fails it",
      ({ tools }) =>
        tools.calls[0]?.outcome.reject(new FaultError({ code: -32000, message: "mine" })),
      fields("failed", { statusMessage: "mine", error: { code: -32000, message: "mine" } }),
    ],
    [
      "any other rejection fails it",
      ({ tools }) => tools.calls[0]?.outcome.reject(new Error("defect")),
      fields("failed", {
        statusMessage: "Internal error: defect",
        error: { code: -32603, message: "Internal error: defect" },
      }),
    ],
    [
      "a round of the request is too late and fails it",
      ({ tools }) =>
        tools.calls[0]?.outcome.resolve({
          kind: "input-required",
          requests: form("a"),
          requestState: "s",
        }),
      fields("failed", {
        statusMessage: expect.stringContaining("MCP task already") as string,
        error: { code: -32603, message: expect.stringContaining("MCP task already") as string },
      }),
    ],
    [
      "so is a question that was asked before and comes to be a round after",
      ({ tools }) => tools.calls[0]?.outcome.reject(new InputNeeded(form("a"), "s")),
      fields("failed", {
        statusMessage: expect.stringContaining("MCP task already") as string,
        error: { code: -32603, message: expect.stringContaining("MCP task already") as string },
      }),
    ],
    [
      "a cancelled call cancels it",
      ({ tools }) => tools.calls[0]?.outcome.resolve({ kind: "cancelled" }),
      fields("cancelled"),
    ],
  ])("%s", async (_, end, expected) => {
    const task = await startTask();
    end(task);
    expect(await task.ended()).toEqual(expected);
    expect(await task.ask("tasks/cancel")).toEqual(acknowledged);
    expect(await task.get()).toEqual(expected);
  });

  test("the reply is the only message: nothing is sent when it ends, or when it reports", async () => {
    const params = { ...echo, _meta: undefined };
    const task = await startTask(params);
    task.call.onProgress?.("late");
    task.call.log?.("error", "late");
    task.tools.answer(0);
    await task.ended();
    expect(task.news()).toEqual([]);
  });
});

describe("MCP tasks, reports", () => {
  test("progress and log messages end with the task's making, those before it are sent", async () => {
    const { exchange, tools, transport } = start();
    const message = modern(1, "tools/call", echo, tasksCapability) as {
      params: { _meta: Record<string, unknown> };
    };
    message.params._meta["progressToken"] = "p";
    message.params._meta["io.modelcontextprotocol/logLevel"] = "debug";
    transport.deliver(message);
    const call = tools.calls[0]?.request;
    call?.onProgress?.("early");
    call?.log?.("info", "early");
    call?.becomeTask?.();
    call?.onProgress?.("late");
    call?.log?.("info", "late");
    const sent = (await exchange(3)) as { method?: string; result?: { resultType: string } }[];
    expect(sent.map(({ method, result: reply }) => method ?? reply?.resultType)).toEqual([
      "notifications/progress",
      "notifications/message",
      "task",
    ]);
    call?.onProgress?.({ progress: 50 });
    call?.log?.("error", "later");
    tools.answer(0);
    expect(await exchange(1, modern("x", "server/discover"))).toHaveLength(1);
  });
});

describe("MCP tasks, cancellation", () => {
  test("tasks/cancel stops the work and is acknowledged, again and again", async () => {
    const task = await startTask();
    expect(task.call.cancellation.isCancelled).toBe(false);
    expect(await task.ask("tasks/cancel")).toEqual(acknowledged);
    expect(task.call.cancellation.isCancelled).toBe(true);
    expect(await task.get()).toEqual(fields("cancelled"));
    task.tools.answer(0);
    expect(await task.ask("tasks/cancel")).toEqual(acknowledged);
    expect(await task.get()).toEqual(fields("cancelled"));
  });

  test("a task whose call has come back does not hold on to what the call used", async () => {
    const task = await startTask();
    task.tools.answer(0);
    await task.ended();
    expect(await task.ask("tasks/cancel")).toEqual(acknowledged);
    expect(task.call.cancellation.isCancelled).toBe(false);
  });

  test("notifications/cancelled for the request does not cancel the task", async () => {
    const task = await startTask();
    task.transport.deliver(notification("notifications/cancelled", { requestId: "call" }));
    expect(await task.get()).toEqual(fields("working"));
    expect(task.call.cancellation.isCancelled).toBe(false);
  });

  test("the end of the connection does not cancel the task", async () => {
    const task = await startTask();
    task.connection.shutdown();
    await task.connection.ended;
    expect(task.call.cancellation.isCancelled).toBe(false);
  });

  test("before there is a task it cancels the call", async () => {
    const { exchange, tools, transport } = start();
    transport.deliver(modern(1, "tools/call", echo, tasksCapability));
    transport.deliver(notification("notifications/cancelled", { requestId: 1 }));
    const call = tools.calls[0]?.request;
    expect(call?.cancellation.isCancelled).toBe(true);
    call?.becomeTask?.();
    expect(await exchange(1, modern(2, "server/discover"))).toMatchObject([{ id: 2 }]);
  });

  test("a task that its client was never told of is cancelled with its request", async () => {
    const { exchange, tools, transport } = start();
    transport.deliver(modern(1, "tools/call", echo, tasksCapability));
    const call = tools.calls[0]?.request;
    call?.becomeTask?.();
    transport.deliver(notification("notifications/cancelled", { requestId: 1 }));
    expect(call?.cancellation.isCancelled).toBe(true);
    expect(await exchange(1, modern(2, "server/discover"))).toMatchObject([{ id: 2 }]);
  });
});

describe("MCP tasks, input", () => {
  test("asks wait for tasks/update; partial answers leave the rest open; keys are never used again", async () => {
    const task = await startTask();
    const { ask } = task.call;
    const [first, second] = [ask?.ask(form("name")), ask?.ask(form("name"))];
    const [name] = Object.values(form("name"));
    const outstanding = { name, "name-2": name };
    expect(await task.get()).toEqual(fields("input_required", { inputRequests: outstanding }));
    const update = (inputResponses: object): Promise<unknown> =>
      task.ask("tasks/update", { inputResponses });
    expect(await update({ "name-2": accepted, unknown: accepted })).toEqual(acknowledged);
    expect(await second).toEqual({ name: accepted });
    expect(await task.get()).toEqual(fields("input_required", { inputRequests: { name } }));
    expect(await update({ name: 7 })).toEqual(acknowledged);
    expect(await task.get()).toEqual(
      fields("input_required", { inputRequests: { "name-3": name } }),
    );
    expect(await update({ name: accepted })).toEqual(acknowledged);
    expect(await update({ "name-3": accepted })).toEqual(acknowledged);
    expect(await first).toEqual({ name: accepted });
    expect(await task.get()).toEqual(fields("working"));
  });

  test("a task that ends takes its questions with it", async () => {
    const task = await startTask();
    const asked = task.call.ask?.ask(form("a"));
    asked?.catch(() => {});
    await task.ask("tasks/cancel");
    expect(await task.get()).toEqual(fields("cancelled"));
    expect(asked).rejects.toMatchObject({ code: "cancelled" });
    expect(task.call.ask?.ask(form("b"))).rejects.toMatchObject({ code: "cancelled" });
    expect(await task.ask("tasks/update", { inputResponses: { a: accepted } })).toEqual(
      acknowledged,
    );
  });

  test("what the client did not declare is not asked", async () => {
    const task = await startTask();
    const { ask } = task.call;
    expect([ask?.can("form"), ask?.can("url"), ask?.can("sampling"), ask?.can("roots")]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(ask?.ask({ r: { method: "roots/list" } })).rejects.toMatchObject({
      fault: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    });
    expect(await task.get()).toEqual(fields("working"));
  });
});
