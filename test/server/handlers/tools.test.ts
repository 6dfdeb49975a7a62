import { expect, test } from "bun:test";

import { answerMarginMs } from "../../../src/base/limits.ts";
import { Changes } from "../../../src/calls/features.ts";
import type { ActiveRequest } from "../../../src/server/connection/active-request.ts";
import { createConnection, ServerContext } from "../../../src/server/context/server-context.ts";
import { TaskCall } from "../../../src/server/handlers/mcp-tasks.ts";
import { createRequest, FakeLane } from "../fake-request.ts";
import { FakeTools } from "../harness.ts";

interface Started {
  readonly request: ActiveRequest;
  readonly call: TaskCall;
}

function start(request = createRequest()): Started {
  const tools = new FakeTools();
  const server = new ServerContext({
    features: { tools, changes: new Changes(), changing: new Set() },
    instructions: "",
    stateKey: () => Promise.resolve(new Uint8Array(32)),
  });
  const profile = {
    id: "c",
    limitsFor: () => ({ answerMs: 1, resultCharsMax: 1 }),
    fallbackDir: "/",
  };
  const connection = createConnection(server, profile, new FakeLane());
  const call = new TaskCall("Echo", {}, request, connection);
  void call.run();
  return { request, call };
}

test.each<[string, boolean, (parts: ReturnType<typeof start>) => void]>([
  ["before it is an MCP task", true, () => {}],
  ["before the client has the task", true, ({ call }) => call.becomeTask()],
  [
    "when the client has the task",
    false,
    ({ call, request }) => {
      call.becomeTask();
      request.markAnswered();
    },
  ],
])("a request that is cancelled %s stops the work: %p", (_, isStopped, prepare) => {
  const parts = start();
  prepare(parts);
  parts.request.cancel();
  expect(parts.call.cancellation.isCancelled).toBe(isStopped);
});

test.each<[answerMs: number, leftMs: number | undefined]>([
  [0, undefined],
  [1, 0.5],
  [600, 300],
  [60_000, 60_000 - answerMarginMs],
])("a client that waits %p ms must have the answer within %p", (answerMs, leftMs) => {
  const before = performance.now();
  const { answerAt } = start(createRequest({ answerMs })).call;
  const after = performance.now();
  if (leftMs === undefined) return expect(answerAt).toBeUndefined();
  expect(answerAt).toBeGreaterThanOrEqual(before + leftMs);
  expect(answerAt).toBeLessThanOrEqual(after + leftMs);
});
