import { describe, expect, test } from "bun:test";
import {
  isAcceptable,
  prefersEventStream,
  takesEventStream,
} from "../../../../src/server/transport/http/header-rules.ts";

describe("isAcceptable() and takesEventStream()", () => {
  test.each<[string | null, boolean, boolean]>([
    // Absent means anything, but a stream has to be asked for.
    [null, true, false],
    ["application/json, text/event-stream", true, true],
    ["text/event-stream,application/json", true, true],
    ["  Application/JSON ;charset=utf-8 ,\tTEXT/Event-Stream; q=0.1", true, true],
    ["*/*", true, true],
    ["application/*, text/*", true, true],
    ["application/json, */*;q=0.1", true, true],
    ["application/json", false, false],
    ["text/event-stream", false, true],
    ["", false, false],
    ["text/html", false, false],
    ["application/json-seq, text/event-streams", false, false],
    ["application/json, text/event-stream;q=0", false, false],
    ["application/json, text/event-stream;q=0.000", false, false],
    ["application/json;q=0, */*", false, true],
    ["text/event-stream;q=0, */*", false, false],
    ["text/*;q=0, */*", false, false],
    ["application/json, text/event-stream; Q = 1", true, true],
    ["application/json, text/event-stream;q=high", false, false],
    [",,;;=,", false, false],
  ])("%p: POST %p, GET %p", (accept, post, get) => {
    expect([isAcceptable(accept), takesEventStream(accept)]).toEqual([post, get]);
  });
});

describe("prefersEventStream()", () => {
  test.each<[string | null, boolean]>([
    [null, false],
    ["application/json, text/event-stream", false],
    ["text/event-stream, application/json", true],
    ["text/event-stream;q=0.5, application/json", false],
    ["application/json;q=0.5, TEXT/event-stream", true],
    ["*/*, application/json, text/event-stream", false],
    ["*/*", false],
    ["", false],
  ])("%p: %p", (accept, expected) => {
    expect(prefersEventStream(accept)).toBe(expected);
  });
});
