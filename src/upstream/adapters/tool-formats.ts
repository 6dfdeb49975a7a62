import { AppError, messageOf } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import type { ObjectSchema } from "../../protocol/tool-types.ts";
import { blockText, cleanText, textOf } from "./text-of.ts";

/** The formats of definitions, calls and results (docs/adapters.md#definitions). */
export const toolFormats = ["mcp", "openai", "anthropic"] as const;

export type ToolFormat = (typeof toolFormats)[number];

/** Undefined for any other text. */
export function parseToolFormat(text: string | undefined): ToolFormat | undefined {
  return toolFormats.find((format) => format === text);
}

/** The fields that a definition has in every format. */
export interface CommonDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

type Fields = Readonly<Record<string, unknown>>;

/** The definition in `format` (CA19). MCP's own format keeps every field, titles and annotations included. */
export function definitionIn(format: ToolFormat, tool: CommonDefinition): Fields {
  const { name, description, inputSchema } = tool;
  switch (format) {
    case "mcp":
      return { ...tool };
    case "openai":
      return { type: "function", function: { name, description, parameters: inputSchema } };
    case "anthropic":
      return { name, description, input_schema: inputSchema };
  }
}

/**
 * Reads a definition in any format: MCP, OpenAI (with or without `function` around it), Anthropic, and the flat form
 * `{name, description, parameters, required}`, whose `required` becomes part of the schema.
 * @throws {AppError} `usage` when the name is missing or the schema is not an object
 */
export function readDefinition(value: unknown): CommonDefinition {
  const outer = isObject(value) ? value : {};
  const fields = outer.type === "function" && isObject(outer.function) ? outer.function : outer;
  const { name } = fields;
  if (typeof name !== "string" || name === "") {
    throw new AppError("usage", "This is not a tool definition: it has no name.");
  }
  const description = typeof fields.description === "string" ? fields.description : "";
  return { name, description, inputSchema: schemaOf(name, fields) };
}

function schemaOf(name: string, fields: Fields): ObjectSchema {
  const written = fields.inputSchema ?? fields.input_schema ?? fields.parameters;
  if (written !== undefined && written !== null && !isObject(written)) {
    throw new AppError("usage", `The definition of ${name} has a schema that is not an object.`);
  }
  const schema = isObject(written) ? asSchema(name, written) : emptySchema;
  return withRequired(schema, fields.required);
}

/** The schema that other formats write for a tool without parameters. */
const emptySchema: ObjectSchema = { type: "object", properties: {} };

/** Flat definitions give only the properties, without a schema around them. */
function asSchema(name: string, written: Fields): ObjectSchema {
  if (written.type === "object") return { ...written, type: "object" };
  if (typeof written.type === "string") {
    const message = `The definition of ${name} takes ${JSON.stringify(written.type)}: a tool takes an object.`;
    throw new AppError("usage", message);
  }
  const isSchema = schemaKeywords.some((keyword) => keyword in written);
  if (isSchema || Object.keys(written).length === 0) return { type: "object", ...written };
  return { type: "object", properties: written };
}

/** Any of these keys in the parameters marks them as a schema, even without a `type`. */
const schemaKeywords = ["properties", "$ref", "$schema", "anyOf", "oneOf", "allOf"];

function withRequired(schema: ObjectSchema, required: unknown): ObjectSchema {
  if (!Array.isArray(required) || required.length === 0) return schema;
  const inner = Array.isArray(schema.required) ? schema.required : [];
  const names = [...inner, ...required].filter((name) => typeof name === "string");
  return { ...schema, required: [...new Set(names)] };
}

/** A call of a tool, independent of the format that it came in. */
export interface CommonCall {
  /** Matches the result to the call; MCP's own format has none. */
  readonly id?: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export type ReadCall =
  | { readonly kind: "call"; readonly call: CommonCall }
  /** The call cannot be made; the model gets the reason and tries again (CA20). */
  | {
      readonly kind: "malformed";
      readonly id?: string;
      readonly name: string;
      readonly text: string;
    };

/**
 * Reads a call in any format: `{name, arguments}`, `{id, function: {name, arguments: "<JSON>"}}`,
 * `{type: "tool_use", id, name, input}`. Arguments that are not a JSON object give `malformed`, not an error.
 * @throws {AppError} `usage` when it names no tool
 */
export function readCall(value: unknown): ReadCall {
  const outer = isObject(value) ? value : {};
  const fields = isObject(outer.function) ? outer.function : outer;
  const { name } = fields;
  if (typeof name !== "string" || name === "") {
    throw new AppError("usage", "This is not a tool call: it names no tool.");
  }
  const written = outer.type === "tool_use" ? fields.input : (fields.arguments ?? fields.input);
  const head = { ...idOf(outer), name };
  const read = readArguments(written);
  return "text" in read
    ? { kind: "malformed", ...head, text: read.text }
    : { kind: "call", call: { ...head, arguments: read.args } };
}

/** The call in `format`. */
export function callIn(format: ToolFormat, call: CommonCall): Fields {
  const { id = "", name, arguments: args } = call;
  switch (format) {
    case "mcp":
      return { name, arguments: args };
    case "openai":
      return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
    case "anthropic":
      return { type: "tool_use", id, name, input: args };
  }
}

function idOf(outer: Fields): { readonly id?: string } {
  const id = outer.id ?? outer.call_id;
  return typeof id === "string" ? { id } : {};
}

function readArguments(written: unknown): { readonly args: Fields } | { readonly text: string } {
  // Models omit the arguments of a tool without parameters, or send an empty string.
  if (written === undefined || written === null || written === "") return { args: {} };
  if (isObject(written)) return { args: written };
  if (typeof written !== "string") return { text: "The arguments are not a JSON object." };
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? { args: value } : { text: "The arguments are not a JSON object." };
  } catch (error) {
    return { text: `The arguments are not JSON: ${messageOf(error)}. Nothing was called.` };
  }
}

/** The outcome of a call, as frameworks for function calling expect it (CA20). */
export interface PlainResult {
  readonly success: boolean;
  readonly output: string;
  /** `output` again, when the tool failed. */
  readonly error?: string;
  readonly structured?: unknown;
}

/** @param result a result of `tools/call` */
export function plainResult(result: unknown): PlainResult {
  const output = textOf(result);
  const fields = isObject(result) ? result : {};
  const { structuredContent } = fields;
  return {
    success: fields.isError !== true,
    output,
    ...(fields.isError === true ? { error: output } : {}),
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  };
}

/** The result of a call that was not made, or that ended with a protocol error. */
export function failedResult(text: string): Fields {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * The result of `tools/call` in `format`.
 * @param callId of the call that it answers; with it, OpenAI's format is the message that goes back to the model
 */
export function resultIn(format: ToolFormat, result: unknown, callId?: string): unknown {
  switch (format) {
    case "mcp":
      return result;
    case "openai":
      return callId === undefined ? plainResult(result) : toolMessage(result, callId);
    case "anthropic":
      return toolResultBlock(result, callId ?? "");
  }
}

function toolMessage(result: unknown, callId: string): Fields {
  return { role: "tool", tool_call_id: callId, content: textOf(result) };
}

function toolResultBlock(result: unknown, callId: string): Fields {
  const fields = isObject(result) ? result : {};
  const blocks = Array.isArray(fields.content) ? fields.content : [];
  const content =
    blocks.length > 0 ? blocks.map(anthropicBlock) : [{ type: "text", text: textOf(result) }];
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: content.filter((block) => block.type !== "text" || block.text !== ""),
    is_error: fields.isError === true,
  };
}

/** The image types that the API accepts; other images are named in a text. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function anthropicBlock(block: unknown): Fields {
  if (isObject(block) && block.type === "image" && typeof block.data === "string") {
    const { mimeType, data } = block;
    if (typeof mimeType === "string" && imageTypes.has(mimeType)) {
      return { type: "image", source: { type: "base64", media_type: mimeType, data } };
    }
  }
  return { type: "text", text: cleanText(blockText(block)) };
}
