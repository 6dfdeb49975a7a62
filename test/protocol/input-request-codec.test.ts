import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { choicesTextCharsMax } from "../../src/base/limits.ts";
import type { FormField, FormSchema, InputRequest } from "../../src/protocol/input-request.ts";
import { shapeInputRequest, upgradeContent } from "../../src/protocol/input-request-codec.ts";
import type { ProtocolVersion } from "../../src/protocol/message.ts";
import { hasSchemas, SchemaOf } from "../e2e/harness/schemas.ts";

const titled = [
  { const: "r", title: "Red" },
  { const: "b", title: "Blue" },
];
const fields: Record<string, FormField> = {
  text: {
    type: "string",
    title: "T",
    description: "D",
    minLength: 1,
    format: "email",
    default: "a@b",
  },
  number: { type: "number", minimum: 1, default: 2 },
  integer: { type: "integer", default: 2 },
  boolean: { type: "boolean", default: true },
  plain: { type: "string", enum: ["a", "b"], default: "a" },
  named: { type: "string", enum: ["a"], enumNames: ["A"], default: "a" },
  titled: { type: "string", title: "T", oneOf: titled, default: "r" },
  several: {
    type: "array",
    title: "T",
    description: "Colours.",
    minItems: 1,
    maxItems: 2,
    items: { anyOf: titled },
  },
  any: { type: "array", items: { type: "string", enum: ["a", "b,c"] }, default: ["a"] },
};
const schema: FormSchema = { type: "object", properties: fields, required: ["text"] };

const form: InputRequest = {
  method: "elicitation/create",
  params: { message: "Please", requestedSchema: schema },
};
const visit: InputRequest = {
  method: "elicitation/create",
  params: { mode: "url", message: "Please", url: "https://x", elicitationId: "7" },
};
const text = { type: "text", text: "x" };
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const sampling: InputRequest = {
  method: "sampling/createMessage",
  params: {
    messages: [
      { role: "user", content: [text, audio] },
      { role: "assistant", content: text },
    ],
    maxTokens: 9,
    includeContext: "thisServer",
    task: { ttl: 1 },
  },
};

describe("shapeInputRequest()", () => {
  test("2025-06-18 has flat forms without mode", () => {
    expect(shapeInputRequest(form, "2025-06-18")).toEqual({
      method: "elicitation/create",
      params: {
        message: "Please",
        requestedSchema: {
          type: "object",
          properties: {
            text: { type: "string", title: "T", description: "D", minLength: 1, format: "email" },
            number: { type: "number", minimum: 1 },
            integer: { type: "integer" },
            boolean: { type: "boolean", default: true },
            plain: { type: "string", enum: ["a", "b"] },
            named: { type: "string", enum: ["a"], enumNames: ["A"] },
            titled: { type: "string", title: "T", enum: ["r", "b"], enumNames: ["Red", "Blue"] },
            several: {
              type: "string",
              title: "T",
              description:
                "Colours. Any of the following (at least 1 and at most 2), with commas between them: r (Red), b (Blue)",
            },
            any: {
              type: "string",
              description: "Any of the following, with semicolons between them: a; b,c",
            },
          },
          required: ["text"],
        },
      },
    });
  });

  test.each<ProtocolVersion>(["2025-11-25", "2026-07-28"])(
    "%s has forms as they are",
    (version) => {
      expect(shapeInputRequest(form, version)).toEqual({
        method: "elicitation/create",
        params: { mode: "form", message: "Please", requestedSchema: schema },
      });
    },
  );

  test.each<[ProtocolVersion, object]>([
    ["2025-11-25", { mode: "url", message: "Please", url: "https://x", elicitationId: "7" }],
    ["2026-07-28", { mode: "url", message: "Please", url: "https://x" }],
  ])("%s: a visit to a page", (version, params) => {
    expect(shapeInputRequest(visit, version)).toEqual({
      method: "elicitation/create",
      params: params as never,
    });
  });

  const audioText =
    "[Audio, audio/wav, 3 bytes: not shown, protocol revision 2024-11-05 has no audio]";
  const split = (second: object): object => ({
    messages: [
      { role: "user", content: text },
      { role: "user", content: second },
      { role: "assistant", content: text },
    ],
    maxTokens: 9,
    includeContext: "thisServer",
  });
  const whole = { messages: (sampling.params as { messages: unknown }).messages, maxTokens: 9 };

  test.each<[ProtocolVersion, object]>([
    ["2024-11-05", split({ type: "text", text: audioText })],
    ["2025-03-26", split(audio)],
    ["2025-06-18", split(audio)],
    ["2025-11-25", whole],
    ["2026-07-28", whole],
  ])("%s: sampling", (version, params) => {
    expect(shapeInputRequest(sampling, version)).toEqual({
      method: "sampling/createMessage",
      params: params as never,
    });
  });

  test("roots have no parameters", () => {
    expect(shapeInputRequest({ method: "roots/list" }, "2024-11-05")).toEqual({
      method: "roots/list",
    });
  });

  test.skipIf(!hasSchemas).each<[ProtocolVersion, InputRequest, string]>([
    ["2024-11-05", sampling, "CreateMessageRequest"],
    ["2025-03-26", sampling, "CreateMessageRequest"],
    ["2025-06-18", sampling, "CreateMessageRequest"],
    ["2025-06-18", form, "ElicitRequest"],
    ["2025-11-25", sampling, "CreateMessageRequest"],
    ["2025-11-25", form, "ElicitRequest"],
    ["2025-11-25", visit, "ElicitRequest"],
    ["2026-07-28", sampling, "CreateMessageRequest"],
    ["2026-07-28", form, "ElicitRequest"],
    ["2026-07-28", visit, "ElicitRequest"],
    ["2026-07-28", { method: "roots/list" }, "ListRootsRequest"],
  ])("%s: %j fits its schema", (version, request, type) => {
    const message = { jsonrpc: "2.0", id: 1, ...shapeInputRequest(request, version) };
    expect(new SchemaOf(version).faultIn(type, message)).toBeUndefined();
  });
});

/** What a client of 2025-06-18 reads of field `a`. */
function offerOf(requestedSchema: FormSchema): string {
  const request: InputRequest = {
    method: "elicitation/create",
    params: { message: "", requestedSchema },
  };
  const { params } = shapeInputRequest(request, "2025-06-18");
  return String(
    (params as { requestedSchema: FormSchema }).requestedSchema.properties["a"]?.description,
  );
}

describe("upgradeContent()", () => {
  test.each<[unknown, unknown]>([
    [{ several: "r, b" }, { several: ["r", "b"] }],
    [{ several: " RED ,b,, " }, { several: ["r", "b"] }],
    [{ several: "r,r" }, { several: ["r"] }],
    [{ several: "r,green" }, { several: ["r", "green"] }],
    [{ several: "" }, {}],
    [{ any: "" }, { any: [] }],
    [{ any: "b,c; a" }, { any: ["b,c", "a"] }],
    [{ several: ["r"] }, { several: ["r"] }],
    [
      { several: 5, text: "r, b", other: "r, b" },
      { several: 5, text: "r, b", other: "r, b" },
    ],
    [{ several: "r,".repeat(choicesTextCharsMax / 2) }, { several: ["r"] }],
    [{ any: "x".repeat(choicesTextCharsMax + 1) }, { any: "x".repeat(choicesTextCharsMax + 1) }],
    [undefined, undefined],
    ["r, b", "r, b"],
  ])("of %j", (content, expected) => {
    expect(upgradeContent(schema, content)).toEqual(expected);
  });

  test.each([
    ["a,b", "semicolons", ";"],
    ["a,;b", "vertical bars", "|"],
    ["a,;|b", "slashes", "/"],
    ["a,;|/b", "plus signs", "+"],
    ["a,;|/+b", "ampersands", "&"],
  ])("the option %j makes %s the separator", (value, name, sign) => {
    const field: FormField = { type: "array", items: { type: "string", enum: [value, "c"] } };
    const one: FormSchema = { type: "object", properties: { a: field } };
    expect(offerOf(one)).toBe(`Any of the following, with ${name} between them: ${value}${sign} c`);
    expect(upgradeContent(one, { a: `c${sign}${value}` })).toEqual({ a: ["c", value] });
  });

  test("options that have every sign leave the others to be chosen", () => {
    const all = ["a,;|/+&b", "c", "d"];
    const field: FormField = { type: "array", items: { type: "string", enum: all } };
    const one: FormSchema = { type: "object", properties: { a: field } };
    expect(upgradeContent(one, { a: "d, c" })).toEqual({ a: ["d", "c"] });
  });

  test("finds every choice again that its own instruction offers", () => {
    const option = fc.stringMatching(/^[a-z][a-z ,;|/+]{0,8}[a-z]$/);
    const options = fc.uniqueArray(option, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(options, (values) => {
        const field: FormField = { type: "array", items: { type: "string", enum: values } };
        const one: FormSchema = { type: "object", properties: { a: field } };
        const [, offered = ""] = offerOf(one).split("them: ");
        expect(upgradeContent(one, { a: offered })).toEqual({ a: values });
      }),
    );
  });
});
