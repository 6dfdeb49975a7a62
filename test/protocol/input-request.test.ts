import { describe, expect, test } from "bun:test";

import {
  noClientCapabilities,
  readClientCapabilities,
} from "../../src/protocol/client-capabilities.ts";
import {
  canBeAsked,
  cannotBeAsked,
  type InputKind,
  type InputRequest,
  inputKindOf,
  kindsLacking,
  requiredCapabilities,
} from "../../src/protocol/input-request.ts";
import type { ProtocolVersion } from "../../src/protocol/message.ts";

const kinds: readonly InputKind[] = ["form", "url", "sampling", "samplingTools", "roots"];

function sampling(params: object): InputRequest {
  return { method: "sampling/createMessage", params: { maxTokens: 1, ...params } };
}

describe("what a client can be asked for", () => {
  const both = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
  test.each<[ProtocolVersion, object, readonly InputKind[]]>([
    ["2024-11-05", both, ["sampling", "roots"]],
    ["2025-03-26", both, ["sampling", "roots"]],
    ["2025-06-18", both, ["form", "sampling", "roots"]],
    // The modes came later: there `url` is a member that means nothing.
    ["2025-06-18", { elicitation: { url: {} } }, ["form"]],
    ["2025-11-25", { elicitation: { url: {} } }, ["url"]],
    ["2025-11-25", both, kinds],
    ["2026-07-28", both, kinds],
    ["2026-07-28", { elicitation: {} }, ["form"]],
    ["2026-07-28", { elicitation: { url: {} } }, ["url"]],
    ["2025-11-25", { elicitation: {}, sampling: {} }, ["form", "sampling"]],
    ["2025-11-25", { elicitation: true, sampling: [], roots: null }, []],
    ["2026-07-28", {}, []],
  ])("%s: %j", (version, declared, expected) => {
    const capabilities = readClientCapabilities(declared, version);
    expect(kinds.filter((kind) => canBeAsked(capabilities, kind))).toEqual([...expected]);
  });

  test("nothing when nothing was declared", () => {
    expect(kinds.filter((kind) => canBeAsked(noClientCapabilities, kind))).toEqual([]);
  });
});

describe("inputKindOf()", () => {
  const use = { type: "tool_use", id: "1", name: "t", input: {} };
  test.each<[InputRequest, InputKind]>([
    [{ method: "roots/list" }, "roots"],
    [sampling({ messages: [{ role: "user", content: { type: "text", text: "" } }] }), "sampling"],
    [sampling({ messages: "none" }), "sampling"],
    [sampling({ messages: [], tools: [] }), "samplingTools"],
    [sampling({ messages: [], toolChoice: {} }), "samplingTools"],
    [sampling({ messages: [null, { role: "assistant", content: use }] }), "samplingTools"],
    [sampling({ messages: [{ role: "assistant", content: [use] }] }), "samplingTools"],
  ])("of %j is %s", (request, kind) => {
    expect(inputKindOf(request)).toBe(kind);
  });
});

describe("what a client would have had to declare", () => {
  test.each<[readonly InputKind[], object]>([
    [["form"], { elicitation: { form: {} } }],
    [["url", "form"], { elicitation: { form: {}, url: {} } }],
    [["sampling"], { sampling: {} }],
    [["sampling", "samplingTools", "roots"], { sampling: { tools: {} }, roots: {} }],
  ])("for %j", (needed, expected) => {
    expect(requiredCapabilities(needed)).toEqual(expected as never);
  });

  test("each kind is named once in the error", () => {
    const requests = { a: sampling({}), b: sampling({}), c: { method: "roots/list" } as const };
    const lacking = kindsLacking(requests, (kind) => kind === "roots");
    expect(cannotBeAsked(lacking)).toEqual({
      code: -32021,
      message: "The client did not declare that it can be asked for: sampling",
      data: { requiredCapabilities: { sampling: {} } },
    });
  });
});
