import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import type { FormField, InputRequest } from "../../src/protocol/input-request.ts";
import { readInputResponse } from "../../src/protocol/input-response-checks.ts";

function form(properties: Record<string, FormField>, required?: readonly string[]): InputRequest {
  const schema = { type: "object" as const, properties };
  const requestedSchema = required === undefined ? schema : { ...schema, required };
  return { method: "elicitation/create", params: { message: "?", requestedSchema } };
}

const url: InputRequest = {
  method: "elicitation/create",
  params: { mode: "url", message: "?", url: "https://example.com", elicitationId: "1" },
};
const sampling: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1 },
};
const toolSampling: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1, tools: [] },
};
const roots: InputRequest = { method: "roots/list" };
const name = form({ name: { type: "string" } }, ["name"]);

const accept = (content: unknown): object => ({ action: "accept", content });

/** The problem, or undefined when the answer is accepted. */
function problemOf(request: InputRequest, response: unknown): string | undefined {
  const reading = readInputResponse(request, response);
  return reading.kind === "problem" ? reading.problem : undefined;
}

describe("readInputResponse() of an elicitation", () => {
  test.each<[string, InputRequest, unknown, object]>([
    ["a form", name, accept({ name: "x" }), accept({ name: "x" })],
    ["fields that were not asked for", name, accept({ name: "x", b: 1 }), accept({ name: "x" })],
    ["members that are not part of it", name, { action: "decline", x: 1 }, { action: "decline" }],
    ["declined with content", name, { action: "decline", content: 5 }, { action: "decline" }],
    ["cancelled", name, { action: "cancel" }, { action: "cancel" }],
    ["a visit to a page", url, { action: "accept" }, { action: "accept" }],
    ["a visit with content", url, accept({ a: 1 }), { action: "accept" }],
    ["no fields", form({}), accept({}), accept({})],
    ["an optional field left out", form({ a: { type: "number" } }), accept({}), accept({})],
  ])("accepts %s", (_what, request, response, answer) => {
    expect(readInputResponse(request, response)).toEqual({
      kind: "answer",
      answer: answer as never,
    });
  });

  test.each<[string, InputRequest, unknown, string]>([
    ["null", name, null, "the answer must be an object"],
    ["a number", name, 12345, "the answer must be an object"],
    ["an array", name, [accept({ name: "x" })], "the answer must be an object"],
    ["no action", name, {}, "`action` must be accept, decline or cancel"],
    ["another action", name, { action: "ok" }, "`action` must be accept, decline or cancel"],
    ["no content", name, { action: "accept" }, "`name` is missing"],
    ["a text as content", name, accept("x"), "`content` must be an object"],
    ["a required field that was left empty", name, accept({ name: null }), "`name` is missing"],
    ["an array of content", name, accept([]), "`content` must be an object"],
    ["a missing field", name, accept({}), "`name` is missing"],
    [
      "what the prototype has",
      form({ toString: { type: "string" } }, ["toString"]),
      accept({}),
      "`toString` is missing",
    ],
  ])("refuses %s", (_what, request, response, problem) => {
    expect(readInputResponse(request, response)).toEqual({ kind: "problem", problem });
  });

  test("keeps a field that is named like the prototype a field", () => {
    const request = form(
      JSON.parse('{"__proto__":{"type":"string"}}') as Record<string, FormField>,
    );
    const response = accept(JSON.parse('{"__proto__":"x"}'));
    const reading = readInputResponse(request, response);
    expect(JSON.stringify(reading)).toBe(
      '{"kind":"answer","answer":{"action":"accept","content":{"__proto__":"x"}}}',
    );
  });
});

describe("a field of a form", () => {
  const titled = [
    { const: "r", title: "Red" },
    { const: "b", title: "Blue" },
  ];
  const many: FormField = { type: "array", items: { type: "string", enum: ["a", "b", "c"] } };
  const bounded: FormField = { ...many, minItems: 1, maxItems: 2 };
  const rows: [string, FormField, unknown[], unknown[]][] = [
    ["string", { type: "string" }, ["", "x"], [1, null, true, [], {}]],
    ["minLength", { type: "string", minLength: 2 }, ["ab", "abc"], ["", "a", "\u{1F600}"]],
    ["maxLength", { type: "string", maxLength: 2 }, ["", "ab", "\u{1F600}\u{1F600}"], ["abc"]],
    ["email", { type: "string", format: "email" }, ["a@b"], ["", "a", "@b", "a@", "a @b", "a@b@c"]],
    ["uri", { type: "string", format: "uri" }, ["https://x/y", "urn:a"], ["", "x", "/y"]],
    ["date", { type: "string", format: "date" }, ["2024-02-29"], ["2023-02-29", "2024-13-01", "x"]],
    [
      "date-time",
      { type: "string", format: "date-time" },
      ["2026-07-28T10:00:00Z", "2026-07-28t10:00:00.5+02:00"],
      ["2026-07-28", "2026-07-28T10:00:00", "2026-02-30T10:00:00Z", "2026-07-28T24:00:00Z"],
    ],
    ["another format", { type: "string", format: "colour" }, ["x"], [1]],
    ["number", { type: "number" }, [0, -1.5], ["1", null, true]],
    ["minimum", { type: "number", minimum: 1 }, [1, 2], [0.9]],
    ["maximum", { type: "number", maximum: 1 }, [1, 0], [1.1]],
    ["integer", { type: "integer", minimum: 0, maximum: 9 }, [0, 9], [-1, 10, 0.5, "1", null]],
    ["boolean", { type: "boolean" }, [true, false], [0, "true", null]],
    ["enum", { type: "string", enum: ["a", "b"] }, ["a", "b"], ["c", "", 0, ["a"]]],
    ["enumNames", { type: "string", enum: ["a"], enumNames: ["A"] }, ["a"], ["A"]],
    ["oneOf", { type: "string", oneOf: titled }, ["r", "b"], ["Red", "x"]],
    ["an empty enum", { type: "string", enum: [] }, [], ["", "a"]],
    ["several", many, [[], ["a"], ["c", "a", "b"]], ["a", ["d"], ["a", "a"], [1], null, {}]],
    ["minItems and maxItems", bounded, [["a"], ["a", "b"]], [[], ["a", "b", "c"]]],
    ["anyOf", { type: "array", items: { anyOf: titled } }, [["r"]], [["Red"]]],
    ["a nested object", { type: "object" }, [], [{}, "x"]],
    ["an array without options", { type: "array", items: { type: "string" } }, [], [[], ["x"]]],
  ];
  const cases = rows.flatMap(([what, field, good, bad]) => [
    ...good.map((value) => [what, field, value, true] as const),
    ...bad.map((value) => [what, field, value, false] as const),
  ]);

  test.each(cases)("%s: %j takes %j: %p", (_what, field, value, isGood) => {
    const isTaken = problemOf(form({ a: field }, ["a"]), accept({ a: value })) === undefined;
    expect(isTaken).toBe(isGood);
  });

  test.each<[FormField, unknown, object]>([
    [{ type: "string" }, null, {}],
    [{ type: "string" }, "", { a: "" }],
    [{ type: "string", enum: ["x"] }, "", {}],
    [{ type: "number" }, "", {}],
    [many, null, {}],
    [many, "", {}],
  ])("%j that may be left empty, and comes as %j, is %j", (field, value, content) => {
    const reading = readInputResponse(form({ a: field }), accept({ a: value }));
    expect(reading).toEqual({ kind: "answer", answer: { action: "accept", content } });
  });

  test("millions of items are refused at once", () => {
    const items = Array.from({ length: 2_000_000 }, () => "c");
    expect(problemOf(form({ a: many }), accept({ a: items }))).toBe(
      "`a` must hold each option once",
    );
  });
});

describe("readInputResponse() of sampling", () => {
  const text = { type: "text", text: "x" };
  const use = { type: "tool_use", id: "1", name: "t", input: {} };
  const message = { role: "assistant", model: "m", content: text };

  test.each<[InputRequest, object]>([
    [sampling, message],
    [sampling, { ...message, role: "user", stopReason: "endTurn" }],
    [sampling, { ...message, content: [text, { type: "audio", data: "", mimeType: "audio/wav" }] }],
    [toolSampling, { ...message, content: [use] }],
  ])("%j accepts %j", (request, response) => {
    const extra = { ...response, _meta: {}, extra: 1 };
    expect(readInputResponse(request, extra)).toEqual({
      kind: "answer",
      answer: response as never,
    });
  });

  test.each<[InputRequest, object, string]>([
    [sampling, { ...message, role: "system" }, "`role` must be assistant or user"],
    [sampling, { ...message, model: 5 }, "`model` must be a string"],
    [sampling, { ...message, stopReason: 5 }, "`stopReason` must be a string"],
    [sampling, { ...message, content: undefined }, "`content` is malformed"],
    [sampling, { ...message, content: "x" }, "`content` is malformed"],
    [sampling, { ...message, content: { type: "text" } }, "`content` is malformed"],
    [sampling, { ...message, content: { type: "image", data: "" } }, "`content` is malformed"],
    [sampling, { ...message, content: { type: "toString" } }, "`content` is malformed"],
    [sampling, { ...message, content: use }, "`content` is malformed"],
    [toolSampling, { ...message, content: { ...use, input: 5 } }, "`content` is malformed"],
  ])("%j refuses %j", (request, response, problem) => {
    expect(readInputResponse(request, response)).toEqual({ kind: "problem", problem });
  });
});

describe("readInputResponse() of roots", () => {
  test.each([
    [{ roots: [] }],
    [{ roots: [{ uri: "file:///a", name: "A" }, { uri: "file:///b" }] }],
  ])("accepts %j", (response) => {
    const extra = { ...response, _meta: {} };
    expect(readInputResponse(roots, extra)).toEqual({ kind: "answer", answer: response });
  });

  test.each([
    [{}],
    [{ roots: {} }],
    [{ roots: ["file:///a"] }],
    [{ roots: [{ uri: "https://a" }] }],
    [{ roots: [{ uri: "/a" }] }],
    [{ roots: [{ uri: "file:///a", name: 5 }] }],
    [{ roots: [{ uri: "file:///a" }, null] }],
  ])("refuses %j", (response) => {
    expect(problemOf(roots, response)).toStartWith("`roots` must");
  });
});

test("nothing that a client answers throws, and what is accepted is of the asked type", () => {
  const request = form({ age: { type: "integer" }, name: { type: "string" } }, ["name"]);
  const content = fc.record({ name: fc.anything(), age: fc.anything() }, { requiredKeys: [] });
  const response = fc.oneof(
    fc.anything(),
    fc.record({ action: fc.constantFrom("accept", "decline", "x"), content }),
  );
  fc.assert(
    fc.property(response, (value) => {
      for (const each of [request, url, sampling, toolSampling, roots])
        readInputResponse(each, value);
      const reading = readInputResponse(request, value);
      if (reading.kind === "problem" || reading.answer["action"] !== "accept") return;
      const { name: text, age } = reading.answer["content"] as Record<string, unknown>;
      expect(typeof text).toBe("string");
      expect(age === undefined || Number.isInteger(age)).toBe(true);
    }),
  );
});
