import { expect, test } from "bun:test";

import { Changes } from "../../../src/calls/features.ts";
import type { ActiveRequest } from "../../../src/server/connection/active-request.ts";
import { createConnection, ServerContext } from "../../../src/server/context/server-context.ts";
import { TaskCall } from "../../../src/server/handlers/mcp-tasks.ts";
import { createRequest, FakeLane } from "../fake-request.ts";
import { FakeRouter } from "../harness.ts";

function start(): { request: ActiveRequest; call: TaskCall } {
  const router = new FakeRouter();
  const server = new ServerContext({
    features: { router, changes: new Changes(), changing: new Set() },
    instructions: "",
    stateKey: () => Promise.resolve(new Uint8Array(32)),
  });
  const profile = {
    id: "c",
    limitsFor: () => ({ answerMs: 1, resultCharsMax: 1 }),
    fallbackDir: "/",
  };
  const request = createRequest();
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
