import { describe, expect, test } from "bun:test";
import {
  callIn,
  definitionIn,
  readCall,
  readDefinition,
  toolFormats,
  failedResult,
  plainResult,
  resultIn,
} from "../../../src/upstream/adapters/tool-formats.ts";
import { manyTools } from "./many-tools.ts";

describe("definitions", () => {
  test.each(toolFormats.map((format) => [format]))(
    "through JSON in the form of %s and back are the same 500",
    (format) => {
      expect(manyTools.length).toBe(500);
      for (const tool of manyTools) {
        const written: unknown = JSON.parse(JSON.stringify(definitionIn(format, tool)));
        expect(readDefinition(written)).toEqual(JSON.parse(JSON.stringify(tool)));
      }
    },
  );

  test("MCP's own form keeps what the others do not know", () => {
    const tool = {
      name: "t",
      title: "T",
      description: "d",
      inputSchema: { type: "object" } as const,
    };
    expect(definitionIn("mcp", tool)).toEqual(tool);
  });

  const properties = { a: { type: "string" }, b: { type: "integer" } };
  test.each<[string, unknown, unknown]>([
    [
      "flat, required beside the schema",
      { parameters: { type: "object", properties }, required: ["a"] },
      { type: "object", properties, required: ["a"] },
    ],
    [
      "flat, required in both places",
      { parameters: { type: "object", properties, required: ["b"] }, required: ["a", "b"] },
      { type: "object", properties, required: ["b", "a"] },
    ],
    [
      "flat, properties alone",
      { parameters: properties, required: ["a"] },
      { type: "object", properties, required: ["a"] },
    ],
    ["a schema that names no type", { parameters: { properties } }, { type: "object", properties }],
    ["no parameters", {}, { type: "object", properties: {} }],
    ["null for none", { parameters: null }, { type: "object", properties: {} }],
    [
      "OpenAI's flat form",
      { type: "function", strict: true, parameters: { type: "object", properties } },
      { type: "object", properties },
    ],
    [
      "required that is none",
      { parameters: { type: "object" }, required: true },
      { type: "object" },
    ],
  ])("%s", (_name, fields, inputSchema) => {
    const read = readDefinition({ name: "t", description: "d", ...(fields as object) });
    expect(read).toEqual({ name: "t", description: "d", inputSchema } as typeof read);
  });

  test.each<[unknown, string]>([
    [null, "This is not a tool definition: it has no name."],
    [{ function: { name: "t" } }, "This is not a tool definition: it has no name."],
    [{ name: "t", parameters: [] }, "The definition of t has a schema that is not an object."],
    [
      { name: "t", parameters: { type: "array" } },
      'The definition of t takes "array": a tool takes an object.',
    ],
  ])("%j is refused", (value, message) => {
    expect(() => readDefinition(value)).toThrow(message);
  });
});

describe("calls", () => {
  const call = { id: "c1", name: "t", arguments: { a: 1, b: ["é"] } };
  test.each([
    ["mcp", { name: "t", arguments: call.arguments }],
    ["openai", call],
    ["anthropic", call],
  ] as const)("in the form of %s and back", (format, expected) => {
    expect(readCall(callIn(format, call))).toEqual({ kind: "call", call: expected });
  });

  test.each<[string, unknown, unknown]>([
    ["without arguments", { id: "1", function: { name: "t" } }, {}],
    ["with an empty text", { id: "1", function: { name: "t", arguments: "" } }, {}],
    ["with an object", { id: "1", function: { name: "t", arguments: { a: 1 } } }, { a: 1 }],
    ["of the responses API", { call_id: "1", name: "t", arguments: '{"a":1}' }, { a: 1 }],
  ])("%s", (_name, value, args) => {
    expect(readCall(value)).toEqual({
      kind: "call",
      call: { id: "1", name: "t", arguments: args as object },
    } as ReturnType<typeof readCall>);
  });

  test.each([
    ["{", "The arguments are not JSON: "],
    ["[1]", "The arguments are not a JSON object."],
    ["null", "The arguments are not a JSON object."],
  ])("arguments %j are malformed", (text, reason) => {
    const read = readCall({ id: "1", function: { name: "t", arguments: text } });
    expect(read).toEqual({
      kind: "malformed",
      id: "1",
      name: "t",
      text: expect.stringContaining(reason),
    });
  });

  test.each([null, {}, { function: {} }, { name: 5 }])("%j names no tool", (value) => {
    expect(() => readCall(value)).toThrow("This is not a tool call: it names no tool.");
  });
});

describe("results", () => {
  const content = [{ type: "text", text: "a" }];
  test.each<[unknown, ReturnType<typeof plainResult>]>([
    [{ content }, { success: true, output: "a" }],
    [
      { content, isError: false },
      { success: true, output: "a" },
    ],
    [
      { content, isError: true },
      { success: false, output: "a", error: "a" },
    ],
    [
      { content, structuredContent: { x: 1 } },
      { success: true, output: "a", structured: { x: 1 } },
    ],
    [failedResult("why"), { success: false, output: "why", error: "why" }],
  ])("plainResult of %j", (result, expected) => {
    expect(plainResult(result)).toEqual(expected);
  });

  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const blocks = [...content, image, { ...image, mimeType: "image/tiff" }];
  test.each([
    ["mcp", { content: blocks }],
    [
      "openai",
      {
        role: "tool",
        tool_call_id: "c1",
        content: "a\n[image image/png 3 bytes]\n[image image/tiff 3 bytes]",
      },
    ],
    [
      "anthropic",
      {
        type: "tool_result",
        tool_use_id: "c1",
        content: [
          ...content,
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "text", text: "[image image/tiff 3 bytes]" },
        ],
        is_error: false,
      },
    ],
  ] as const)("resultIn %s answers a call", (format, expected) => {
    expect(resultIn(format, { content: blocks }, "c1")).toEqual(expected as unknown);
  });

  test("resultIn anthropic has no empty text, which the API refuses", () => {
    expect(resultIn("anthropic", { content: [], isError: true }, "c1")).toEqual({
      type: "tool_result",
      tool_use_id: "c1",
      content: [],
      is_error: true,
    });
  });
});
