import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  encodeEvent,
  encodePriming,
  encodeRetry,
  keepAliveComment,
  type SseEvent,
} from "../../../../src/server/transport/http/event-store.ts";
import { readEvents } from "./read-events.ts";

describe("encodeEvent()", () => {
  test.each<[string, SseEvent, string]>([
    ["data alone", { data: '{"a":1}' }, 'data: {"a":1}\n\n'],
    ["an id", { id: "3-17", data: "{}" }, "id: 3-17\ndata: {}\n\n"],
    ["a name", { event: "endpoint", data: "/mcp?x=1" }, "event: endpoint\ndata: /mcp?x=1\n\n"],
    [
      "line breaks in data",
      { data: '{\n"a":\r\n1\r}' },
      'data: {\ndata: "a":\ndata: 1\ndata: }\n\n',
    ],
    [
      "line breaks elsewhere",
      { id: "1\n2\r3\0", event: "a\r\nb", data: "x" },
      "id: 123\nevent: ab\ndata: x\n\n",
    ],
    [
      "separators that are no line breaks",
      { data: "\u2028\u2029\u0085" },
      "data: \u2028\u2029\u0085\n\n",
    ],
    ["blanks at the start", { data: "  x" }, "data:   x\n\n"],
  ])("writes %s", (_name, event, expected) => {
    expect(encodeEvent(event)).toBe(expected);
  });

  test("no text forges a second event, and JSON comes back with the same value", () => {
    const text = fc.oneof(
      fc.json({ maxDepth: 2 }),
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "\r", ":", "data", "\0", "id: 1") }),
    );
    fc.assert(
      fc.property(fc.option(text, { nil: undefined }), text, (id, data) => {
        const events = readEvents(encodeEvent(id === undefined ? { data } : { id, data }));
        expect(events).toEqual([
          {
            id: id?.replaceAll(/[\r\n\0]/g, ""),
            data: data.replaceAll(/\r\n|\r/g, "\n"),
          },
        ]);
      }),
    );
  });
});

describe("what is no message", () => {
  test("a priming event has an id and empty data", () => {
    expect(encodePriming("1-1")).toBe("id: 1-1\ndata: \n\n");
    expect(readEvents(encodePriming("1-1"))).toEqual([{ id: "1-1", data: "" }]);
  });

  test.each([
    ["retry", encodeRetry(500), "retry: 500\n\n"],
    ["retry in whole milliseconds", encodeRetry(1.5), "retry: 2\n\n"],
    ["a comment", keepAliveComment, ": keep-alive\n\n"],
  ])("%s carries no event", (_name, text, expected) => {
    expect(text).toBe(expected);
    expect(readEvents(text)).toEqual([]);
  });
});
