import type { CallRequest, TaskSupport } from "../../../src/calls/call.ts";
import { expect } from "bun:test";
import type { InputRequests } from "../../../src/protocol/input-request.ts";
import { modernResultMeta } from "../../../src/protocol/result-codec.ts";
import { modern, startServer, tasksCapability, type TestServer } from "../harness.ts";

export const echo = { name: "Echo", arguments: { text: "a" } };
export const declaring = { ...tasksCapability, elicitation: {}, sampling: {} };
export const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
export const form = (name: string): InputRequests => ({
  [name]: {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: name,
      requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
    },
  },
});
export const accepted = { action: "accept", content: { ok: true } };
export const acknowledged = { resultType: "complete", _meta: modernResultMeta };
export const missing = {
  code: -32021,
  data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
};

/** A server with a tool that may become an MCP task, and one such call that became one. */
export interface WithTask extends TestServer {
  readonly taskId: string;
  readonly call: CallRequest;
  readonly get: () => Promise<unknown>;
  /** As `get`, once it does not work any more. */
  readonly ended: () => Promise<unknown>;
  readonly ask: (method: string, params?: object, capabilities?: object) => Promise<unknown>;
}

export function start(support: TaskSupport = "optional"): TestServer {
  const server = startServer();
  server.tools.taskSupports.set("Echo", support);
  return server;
}

export async function startTask(params: object = echo): Promise<WithTask> {
  const server = start();
  server.transport.deliver(modern("call", "tools/call", params, declaring));
  const call = server.tools.calls[0]?.request;
  if (call === undefined) throw new Error("no call");
  call.becomeTask?.({ statusMessage: "working on it" });
  const [created] = (await server.exchange(1)) as [{ result: { taskId: string } }];
  const { taskId } = created.result;
  const ask = async (
    method: string,
    more: object = {},
    capabilities: object = declaring,
  ): Promise<unknown> => {
    const [reply] = await server.exchange(
      1,
      modern("r", method, { taskId, ...more }, capabilities),
    );
    const { result: value, error: fault } = reply as { result?: unknown; error?: unknown };
    return value ?? fault;
  };
  const get = (): Promise<unknown> => ask("tasks/get");
  const ended = async (): Promise<unknown> => {
    for (;;) {
      const task = (await get()) as { status: string };
      if (task.status !== "working") return task;
    }
  };
  return { ...server, taskId, call, ask, get, ended };
}

/** What the client sees of the task, apart from what never changes. */
export function fields(status: string, more: object = {}): object {
  return {
    resultType: "complete",
    taskId: expect.any(String) as string,
    status,
    // What it is doing: an MCP task that has ended does nothing.
    ...(["completed", "cancelled"].includes(status) ? {} : { statusMessage: "working on it" }),
    createdAt: iso,
    lastUpdatedAt: iso,
    ttlMs: 3_600_000,
    pollIntervalMs: 500,
    _meta: modernResultMeta,
    ...more,
  };
}
