import { expect, test } from "bun:test";

import { Changes } from "../../../src/calls/features.ts";
import type { ActiveRequest } from "../../../src/server/connection/active-request.ts";
import { createConnection, ServerContext } from "../../../src/server/context/server-context.ts";
import { HandlerContext } from "../../../src/server/handlers/handler-context.ts";
import { createRequest, FakeLane, type RequestFields } from "../fake-request.ts";
import { FakeTools } from "../harness.ts";

const server = new ServerContext({
  features: { tools: new FakeTools(), changes: new Changes(), changing: new Set() },
  instructions: "",
  stateKey: () => Promise.resolve(new Uint8Array(32)),
});
const profile = {
  id: "c",
  limitsFor: () => ({ answerMs: 1, resultCharsMax: 1 }),
  fallbackDir: "/",
};

const message = {
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "warning", logger: "l", data: { a: 1 } },
};

test.each<[string, RequestFields, (request: ActiveRequest, lane: FakeLane) => void, unknown[]]>([
  ["of the level that is wanted", { logLevel: "warning" }, () => {}, [message]],
  ["above it", { logLevel: "debug" }, () => {}, [message]],
  ["below it", { logLevel: "error" }, () => {}, []],
  ["for who wants none", { logLevel: undefined }, () => {}, []],
  ["after the reply", { logLevel: "debug" }, (request) => request.markAnswered(), []],
  ["after a cancellation", { logLevel: "debug" }, (request) => request.cancel(), []],
  ["for who does not read", { logLevel: "debug" }, (_, lane) => (lane.isCongested = true), []],
])("a log message %s", (_, fields, prepare, expected) => {
  const lane = new FakeLane();
  const request = createRequest({ ...fields, lane });
  prepare(request, lane);
  const connection = createConnection(server, profile, lane);
  new HandlerContext(request, connection).log("warning", { a: 1 }, "l");
  expect(lane.sent).toEqual(expected);
});
