import { describe, expect, test } from "bun:test";
import {
  encodeCreateTaskResult,
  encodeGetTaskResult,
  type McpTaskState,
  type McpTaskView,
  taskAcknowledgement,
  taskNotificationParams,
  tasksNotDeclared,
} from "../../src/protocol/mcp-task.ts";
import { modernResultMeta } from "../../src/protocol/result-codec.ts";
import { hasSchemas, SchemaOf } from "../e2e/harness/schemas.ts";

const states: readonly [McpTaskState, object][] = [
  [{ status: "working" }, {}],
  [
    { status: "input_required", inputRequests: { r: { method: "roots/list" } } },
    { inputRequests: { r: { method: "roots/list" } } },
  ],
  [
    { status: "completed", json: '{"content":[],"isError":true,"resultType":"complete"}' },
    { result: { content: [], isError: true, resultType: "complete" } },
  ],
  [
    { status: "failed", fault: { code: -32603, message: "no", data: [1] } },
    { error: { code: -32603, message: "no", data: [1] } },
  ],
  [{ status: "failed", fault: { code: -1, message: "" } }, { error: { code: -1, message: "" } }],
  [{ status: "cancelled" }, {}],
];

function view(state: McpTaskState, more: Partial<McpTaskView> = {}): McpTaskView {
  return {
    taskId: "id",
    state,
    statusMessage: undefined,
    createdAt: "2026-01-01T00:00:00.000Z",
    lastUpdatedAt: "2026-01-01T00:00:01.000Z",
    ttlMs: 1,
    pollIntervalMs: 2,
    ...more,
  };
}

function common(status: string): object {
  return {
    taskId: "id",
    status,
    createdAt: "2026-01-01T00:00:00.000Z",
    lastUpdatedAt: "2026-01-01T00:00:01.000Z",
    ttlMs: 1,
    pollIntervalMs: 2,
  };
}

const parse = (json: string): unknown => JSON.parse(json) as unknown;

describe("MCP task encoding", () => {
  test.each(states)("%p", (state, payload) => {
    const meta = { _meta: modernResultMeta };
    const task = view(state);
    expect(parse(encodeGetTaskResult(task))).toEqual({
      resultType: "complete",
      ...common(state.status),
      ...payload,
      ...meta,
    });
    expect(parse(encodeCreateTaskResult(task))).toEqual({
      resultType: "task",
      ...common(state.status),
      ...meta,
    });
    expect(parse(JSON.stringify(taskNotificationParams(task)))).toEqual({
      ...common(state.status),
      ...payload,
    });
  });

  test("a message and an endless life are shown as they are", () => {
    const task = view({ status: "working" }, { statusMessage: "m", ttlMs: null });
    expect(parse(encodeGetTaskResult(task))).toMatchObject({ statusMessage: "m", ttlMs: null });
  });

  test("acknowledgements and the missing extension", () => {
    expect(parse(taskAcknowledgement)).toEqual({ resultType: "complete", _meta: modernResultMeta });
    expect(tasksNotDeclared("tasks/get")).toEqual({
      code: -32021,
      message:
        'tasks/get needs the client capability extensions["io.modelcontextprotocol/tasks"]: declare it in this request',
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    });
  });
});

describe.if(hasSchemas)("MCP task encoding, against the extension's schema", () => {
  const schema = hasSchemas ? new SchemaOf("ext-tasks") : undefined;

  test.each(states)("%p", (state) => {
    for (const ttlMs of [1, null]) {
      const task = view(state, { ttlMs });
      const notification = {
        jsonrpc: "2.0",
        method: "notifications/tasks",
        params: taskNotificationParams(task),
      };
      expect([
        schema?.faultIn("CreateTaskResult", parse(encodeCreateTaskResult(task))),
        schema?.faultIn("GetTaskResult", parse(encodeGetTaskResult(task))),
        schema?.faultIn("TaskStatusNotification", parse(JSON.stringify(notification))),
      ]).toEqual([undefined, undefined, undefined]);
    }
  });

  test("acknowledgements", () => {
    const acknowledgement = parse(taskAcknowledgement);
    expect([
      schema?.faultIn("UpdateTaskResult", acknowledgement),
      schema?.faultIn("CancelTaskResult", acknowledgement),
    ]).toEqual([undefined, undefined]);
  });
});
