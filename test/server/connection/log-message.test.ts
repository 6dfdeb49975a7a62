import { expect, test } from "bun:test";

import type { ActiveRequest } from "../../../src/server/connection/active-request.ts";
import { sendLogMessage } from "../../../src/server/handlers/handler-context.ts";
import { createRequest, FakeLane, type RequestFields } from "../fake-request.ts";

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
  sendLogMessage(request, "warning", { a: 1 }, "l");
  expect(lane.sent).toEqual(expected);
});
