import { AppError, messageOf } from "../../base/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ToolFormat } from "./tool-definitions.ts";

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

type Fields = Readonly<Record<string, unknown>>;

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
