import { expect, test } from "bun:test";

import { hasPlace } from "../../../src/fleet/places/placed-requests.ts";

const rows: readonly (readonly [method: string, params: unknown, tasks: boolean, has: boolean])[] =
  [
    ["tools/call", { name: "Bash" }, false, true],
    ["tools/call", { name: "mcp__notes__add" }, false, true],
    ["tools/call", { name: "TaskManager" }, false, false],
    ["tools/call", { name: "ReadDocs" }, false, false],
    ["tools/call", { name: "ReadDocs" }, true, true],
    ["tools/call", undefined, false, true],
    ["tools/list", {}, true, false],
    ["ping", undefined, false, false],
    ["initialize", {}, false, false],
    ["tasks/get", { taskId: "x" }, true, true],
    ["resources/read", { uri: "scorpiox://tasks" }, false, true],
    ["resources/subscribe", { uri: "scorpiox://tasks" }, false, true],
    ["resources/unsubscribe", { uri: "scorpiox://tasks" }, false, true],
    ["subscriptions/listen", { notifications: { toolsListChanged: true } }, true, false],
    ["subscriptions/listen", { notifications: { taskIds: ["x"] } }, true, true],
    ["subscriptions/listen", { notifications: 3 }, true, false],
  ];

test.each(rows)("%s %j with MCP tasks: %p has a place: %p", (method, params, tasks, has) => {
  const request = {
    method,
    params: params as Record<string, unknown>,
    asker: { capabilities: { tasks } },
  };
  expect(hasPlace(request)).toBe(has);
});
