import { expect, test } from "bun:test";

import { ObservedRequest } from "../../src/calls/call-observer.ts";
import { factsOf, RecordingObserver } from "../observe/recorded.ts";

function request(method = "tools/call"): [ObservedRequest, RecordingObserver] {
  const observer = new RecordingObserver();
  return [new ObservedRequest(observer, factsOf({ method })), observer];
}

const text = (result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id: 1, result });
const said = { content: [{ type: "text", text: '{"isError":true}' }] };

test.each<[method: string, reply: string | undefined, code: number | undefined, outcome: string]>([
  ["tools/call", text({ content: [] }), undefined, "ok"],
  ["tools/call", text({ content: [], isError: true }), undefined, "tool_error"],
  ["tools/call", text({ content: [], isError: false }), undefined, "ok"],
  ["tools/call", text(said), undefined, "ok"],
  ["tools/call", text({ ...said, structuredContent: { isError: true } }), undefined, "ok"],
  ["tools/call", text({ resultType: "input_required" }), undefined, "ok"],
  ["resources/read", text({ isError: true }), undefined, "ok"],
  ["tools/call", '{"error":{}}', -32602, "error:-32602"],
  ["tools/call", undefined, undefined, "cancelled"],
])("%s answered with %s (%p) is %s", (method, reply, code, outcome) => {
  const [observed, observer] = request(method);
  observed.answered(reply, code);
  expect(observer.ends).toEqual([
    {
      request: observed,
      end: {
        outcome: outcome as "ok",
        ms: expect.any(Number) as number,
        bytes: (reply ?? "").length,
      },
    },
  ]);
});

test("bytes are those of UTF-8", () => {
  const [observed, observer] = request();
  observed.answered('{"result":"ü€"}');
  expect(observer.ends[0]?.end.bytes).toBe(18);
});

test.each<[json: string | undefined, code: number | undefined, outcome: string]>([
  ['{"content":[]}', undefined, "ok"],
  ['{"content":[],"isError":true}', undefined, "tool_error"],
  [undefined, -32603, "error:-32603"],
  [undefined, undefined, "cancelled"],
])("a call that became an MCP task ends with it: %s (%p) is %s", (json, code, outcome) => {
  const [observed, observer] = request();
  observed.goOn();
  observed.answered(text({ resultType: "task" }));
  expect(observer.ends).toEqual([]);
  observed.taskEnded(json, code);
  observed.taskEnded(json, code);
  expect(observer.ends.map(({ end }) => end.outcome)).toEqual([outcome as "ok"]);
});
