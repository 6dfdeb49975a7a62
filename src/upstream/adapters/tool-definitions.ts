import { AppError, messageOf } from "../../base/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ObjectSchema } from "../../protocol/tool-types.ts";

/** The forms in which definitions, calls and results are written (docs/adapters.md#definitions). */
export const toolFormats = ["mcp", "openai", "anthropic"] as const;

export type ToolFormat = (typeof toolFormats)[number];

/** Undefined for any other text. */
export function parseToolFormat(text: string | undefined): ToolFormat | undefined {
  return toolFormats.find((format) => format === text);
}

/** What all forms of a definition say. */
export interface CommonDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

type Fields = Readonly<Record<string, unknown>>;

/** The definition as `format` writes it (CA19); MCP's own form keeps all that is in it, titles and annotations too. */
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
 * Reads a definition of any form: MCP, OpenAI (with or without `function` around it), Anthropic, and the flat form
 * `{name, description, parameters, required}`, whose `required` becomes part of the schema.
 * @throws {AppError} `usage` for what has no name or no schema that is an object
 */
export function readDefinition(value: unknown): CommonDefinition {
  const outer = isObject(value) ? value : {};
  const fields = outer.type === "function" && isObject(outer.function) ? outer.function : outer;
  const { name } = fields;
  if (typeof name !== "string" || name === "") {
    throw new AppError("usage", "This is no tool definition: it has no name.");
  }
  const description = typeof fields.description === "string" ? fields.description : "";
  return { name, description, inputSchema: schemaOf(name, fields) };
}

function schemaOf(name: string, fields: Fields): ObjectSchema {
  const written = fields.inputSchema ?? fields.input_schema ?? fields.parameters;
  if (written !== undefined && written !== null && !isObject(written)) {
    throw new AppError("usage", `The definition of ${name} has a schema that is no object.`);
  }
  const schema = isObject(written) ? asSchema(name, written) : emptySchema;
  return withRequired(schema, fields.required);
}

/** How other forms write a tool without parameters. */
const emptySchema: ObjectSchema = { type: "object", properties: {} };

/** Flat definitions give the properties alone, without a schema around them. */
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

/** Any of them in the place of parameters says that it is a schema, though it does not name its type. */
const schemaKeywords = ["properties", "$ref", "$schema", "anyOf", "oneOf", "allOf"];

function withRequired(schema: ObjectSchema, required: unknown): ObjectSchema {
  if (!Array.isArray(required) || required.length === 0) return schema;
  const inner = Array.isArray(schema.required) ? schema.required : [];
  const names = [...inner, ...required].filter((name) => typeof name === "string");
  return { ...schema, required: [...new Set(names)] };
}

/** A call of a tool, whatever form it came in. */
export interface CommonCall {
  /** By which the result is matched; MCP's own form has none. */
  readonly id?: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export type ReadCall =
  | { readonly kind: "call"; readonly call: CommonCall }
  /** It cannot be made; the model is told why and tries again (CA20). */
  | {
      readonly kind: "malformed";
      readonly id?: string;
      readonly name: string;
      readonly text: string;
    };

type CallFields = Readonly<Record<string, unknown>>;

/**
 * Reads a call of any form: `{name, arguments}`, `{id, function: {name, arguments: "<JSON>"}}`,
 * `{type: "tool_use", id, name, input}`. Arguments that are no JSON object are `malformed`, not an error.
 * @throws {AppError} `usage` for what names no tool
 */
export function readCall(value: unknown): ReadCall {
  const outer = isObject(value) ? value : {};
  const fields = isObject(outer.function) ? outer.function : outer;
  const { name } = fields;
  if (typeof name !== "string" || name === "") {
    throw new AppError("usage", "This is no call of a tool: it names none.");
  }
  const written = outer.type === "tool_use" ? fields.input : (fields.arguments ?? fields.input);
  const head = { ...idOf(outer), name };
  const read = readArguments(written);
  return "text" in read
    ? { kind: "malformed", ...head, text: read.text }
    : { kind: "call", call: { ...head, arguments: read.args } };
}

/** The call as `format` writes it. */
export function callIn(format: ToolFormat, call: CommonCall): CallFields {
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

function idOf(outer: CallFields): { readonly id?: string } {
  const id = outer.id ?? outer.call_id;
  return typeof id === "string" ? { id } : {};
}

function readArguments(
  written: unknown,
): { readonly args: CallFields } | { readonly text: string } {
  // Models leave out, or send as nothing, what a tool without parameters takes.
  if (written === undefined || written === null || written === "") return { args: {} };
  if (isObject(written)) return { args: written };
  if (typeof written !== "string") return { text: "The arguments are no JSON object." };
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? { args: value } : { text: "The arguments are no JSON object." };
  } catch (error) {
    return { text: `The arguments are not JSON: ${messageOf(error)}. Nothing was called.` };
  }
}
