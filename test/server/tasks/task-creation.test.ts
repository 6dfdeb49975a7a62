import { describe, expect, test } from "bun:test";
import { FaultError, InputNeeded } from "../../../src/calls/ask-client.ts";
import type { CallRequest, TaskSupport } from "../../../src/calls/call.ts";
import { modernResultMeta } from "../../../src/protocol/result-codec.ts";
import {
  error,
  modern,
  request,
  result,
  startServer,
  startSession,
  tasksCapability,
} from "../harness.ts";
import { declaring, echo, form, iso, missing, start, startTask } from "./task-harness.ts";

describe("MCP tasks, creation (pitfall 14: flat shape)", () => {
  test("the request is answered at once with a flat task, and the task is there", async () => {
    const server = start();
    server.transport.deliver(modern(0, "tools/call", echo, tasksCapability));
    server.tools.calls[0]?.request.becomeTask?.();
    server.tools.calls[0]?.request.becomeTask?.({ statusMessage: "again" });
    const [created] = (await server.exchange(1)) as [{ id: unknown; result: { taskId: string } }];
    const { taskId } = created.result;
    const expected = {
      resultType: "task",
      taskId,
      status: "working",
      createdAt: iso,
      lastUpdatedAt: iso,
      ttlMs: 3_600_000,
      pollIntervalMs: 500,
      _meta: modernResultMeta,
    };
    expect(created).toEqual({ jsonrpc: "2.0", id: 0, result: expected } as never);
    const get = modern(1, "tasks/get", { taskId }, tasksCapability);
    expect(await server.exchange(1, get)).toEqual([
      result(1, { ...expected, resultType: "complete" }),
    ]);
  });

  test("a call that never becomes a task is answered as usual", async () => {
    const { exchange, tools } = start();
    const call = exchange(1, modern(1, "tools/call", echo, tasksCapability));
    tools.answer(0, '{"content":[],"resultType":"complete"}');
    expect(await call).toEqual([result(1, { content: [], resultType: "complete" })]);
  });

  test.each<[string, (call: CallRequest) => unknown]>([
    ["a fault", () => new FaultError({ code: -32602, message: "no" })],
    ["a question", () => new InputNeeded(form("a"), "state")],
  ])("%s before it is a task belongs to the request", async (_, make) => {
    const { exchange, tools } = start();
    const reply = exchange(1, modern(1, "tools/call", echo, tasksCapability));
    const call = tools.calls[0];
    if (call !== undefined) call.outcome.reject(make(call.request));
    const [message] = (await reply) as [{ result?: object; error?: object }];
    expect(message.error ?? message.result).toMatchObject(
      message.error ? { code: -32602 } : { resultType: "input_required", requestState: "state" },
    );
  });

  test("when there are too many the handler is told, and can answer as usual", async () => {
    const { exchange, tools, transport } = start();
    for (let count = 0; count < 1024; count += 1) {
      transport.deliver(modern(count, "tools/call", echo, tasksCapability));
      tools.calls[count]?.request.becomeTask?.();
    }
    await exchange(1024);
    transport.deliver(modern("last", "tools/call", echo, tasksCapability));
    expect(() => tools.calls[1024]?.request.becomeTask?.()).toThrow(/^1024 MCP tasks/);
    tools.answer(1024);
    expect(await exchange(1)).toEqual([result("last", { content: [] })]);
  });
});

describe("MCP tasks, negotiation (pitfall 14: per-request gate)", () => {
  test.each<[TaskSupport, object, boolean]>([
    ["optional", {}, false],
    ["optional", { extensions: {} }, false],
    ["optional", { tasks: { requests: { tools: { call: {} } } } }, false],
    ["none", tasksCapability, false],
    ["optional", tasksCapability, true],
    ["required", tasksCapability, true],
  ])("a tool with %p called with %p may become a task: %p", async (support, capabilities, may) => {
    const { tools, transport } = start(support);
    const params = { ...echo, task: { ttl: 1_000, pollInterval: 10 } };
    transport.deliver(modern(1, "tools/call", params, capabilities));
    expect(tools.calls[0]?.request.becomeTask !== undefined).toBe(may);
  });

  test("a tool that must be a task is refused without the extension, before its handler runs", async () => {
    const { exchange, tools } = start("required");
    const [reply] = await exchange(1, modern(1, "tools/call", echo, { sampling: {} }));
    expect(reply).toMatchObject({ id: 1, error: missing });
    expect(tools.calls).toEqual([]);
  });

  test("legacy: runs synchronously, whatever it asks for", async () => {
    const server = await startSession("2025-11-25", { ...tasksCapability, tasks: { list: {} } });
    server.tools.taskSupports.set("Echo", "required");
    server.transport.deliver(request(1, "tools/call", { ...echo, task: { ttl: 1 } }));
    expect(server.tools.calls[0]?.request.becomeTask).toBeUndefined();
    server.tools.answer(0);
    expect(await server.exchange(1)).toEqual([result(1, { content: [] })]);
  });

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "%s: -32021 without the extension, also for a task that is there",
    async (method) => {
      const { ask } = await startTask();
      expect(await ask(method, { inputResponses: {} }, { elicitation: {} })).toMatchObject(missing);
      expect(await ask(method, { inputResponses: {}, taskId: "gate" }, {})).toMatchObject(missing);
    },
  );

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "%s does not exist in legacy, nor where no tool makes tasks",
    async (method) => {
      const legacy = await startSession("2025-11-25");
      legacy.tools.taskSupports.set("Echo", "optional");
      const params = { taskId: "x", inputResponses: {} };
      const unknown = error(1, -32601, `Method not found: ${method}`);
      expect(await legacy.exchange(1, request(1, method, params))).toEqual([unknown]);
      const plain = startServer();
      expect(await plain.exchange(1, modern(1, method, params, declaring))).toEqual([unknown]);
    },
  );

  test.each(["tasks/list", "tasks/result"])("%s does not exist", async (method) => {
    const { ask } = await startTask();
    expect(await ask(method)).toMatchObject({ code: -32601 });
  });
});
