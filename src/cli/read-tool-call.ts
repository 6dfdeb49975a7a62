import { AppError, messageOf } from "../base/errors.ts";
import { mcpEntryBytesMax } from "../base/upstream-limits.ts";
import { isObject } from "../base/values.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import { parseBoolean } from "../config/value-types.ts";
import type { ObjectSchema, ToolListing } from "../protocol/tool-types.ts";
import { type ReadCall, readCall } from "../upstream/adapters/tool-formats.ts";
import type { CommandIo } from "./command-io.ts";
import { readAll } from "./terminal-io.ts";

/**
 * The call that a command line asks for: a name with arguments, or `-` alone for a whole call on stdin, in any form.
 * @param find the definition of a tool, which says what values mean
 * @throws {AppError} `usage`
 */
export async function readToolCall(
  [name = "", ...words]: readonly string[],
  io: CommandIo,
  find: (name: string) => Promise<ToolListing | undefined>,
): Promise<ReadCall> {
  if (name === "-") return readCall(parseCall(await stdinText(io)));
  const args = await readArguments(words, io, () => find(name));
  return { kind: "call", call: { name, arguments: args } };
}

async function readArguments(
  words: readonly string[],
  io: CommandIo,
  find: () => Promise<ToolListing | undefined>,
): Promise<CallArguments> {
  const [first = "", second] = words;
  if (second === undefined && first === "-") return parseJsonArguments(await stdinText(io));
  if (second === undefined && first.trimStart().startsWith("{")) return parseJsonArguments(first);
  const tool = await find();
  return tool === undefined ? parsePairsFreely(words) : parsePairs(words, tool.inputSchema);
}

async function stdinText(io: CommandIo): Promise<string> {
  return new TextDecoder().decode(await readAll(io.stdin, mcpEntryBytesMax, "Standard input"));
}

function parseCall(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("usage", `The call on stdin is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

type CallArguments = Readonly<Record<string, unknown>>;

/** @throws {AppError} `usage` for anything but a JSON object. */
function parseJsonArguments(text: string): CallArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError("usage", `The arguments are not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (isObject(value)) return value;
  throw new AppError("usage", "The arguments must be a JSON object, for instance '{\"key\": 1}'.");
}

/**
 * Reads `key=value` words; `schema` gives the type of each value.
 * @throws {AppError} `usage`, naming the key.
 */
function parsePairs(words: readonly string[], schema: ObjectSchema): CallArguments {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const args = new Map<string, unknown>();
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals < 1 || word.startsWith("{")) throw noPair(word, Object.keys(properties));
    const key = word.slice(0, equals);
    if (args.has(key)) throw new AppError("usage", `${key} is given twice. Give it once.`);
    args.set(key, parseValue(key, word.slice(equals + 1), typeOf(key, properties)));
  }
  return Object.fromEntries(args);
}

/** Like `parsePairs` for a tool without a known schema: values in JSON other than texts are decoded. */
function parsePairsFreely(words: readonly string[]): CallArguments {
  const args = new Map<string, unknown>();
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals < 1 || word.startsWith("{")) throw noPair(word, []);
    args.set(word.slice(0, equals), freeValue(word.slice(equals + 1)));
  }
  return Object.fromEntries(args);
}

function freeValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? text : value;
  } catch {
    return text;
  }
}

function noPair(word: string, keys: readonly string[]): AppError {
  if (word.startsWith("{")) {
    const message = `${word} is JSON: give all arguments as one JSON object, or each of them as KEY=VALUE.`;
    return new AppError("usage", message);
  }
  const [key] = keys;
  const hint = key === undefined ? "" : ` Write, for instance, ${key}='${word}'`;
  return new AppError("usage", `${word} is neither KEY=VALUE nor a JSON object in quotes.${hint}`);
}

/** The JSON Schema type of a property; several types are read as text. */
function typeOf(key: string, properties: Readonly<Record<string, unknown>>): string {
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (!isObject(property)) {
    const names = Object.keys(properties);
    const known =
      names.length === 0 ? "This tool takes no arguments." : `Keys: ${names.join(", ")}.`;
    throw new AppError("usage", `There is no key ${key}.${suggestionFor(key, names)} ${known}`);
  }
  return typeof property.type === "string" ? property.type : "string";
}

function parseValue(key: string, text: string, type: string): unknown {
  switch (type) {
    case "integer":
    case "number":
      return required(key, text, type, parseNumber(text, type));
    case "boolean":
      return required(key, text, type, parseBoolean(text));
    case "array":
    case "object":
      return required(key, text, `${type} in JSON`, parseJson(text, type));
    default:
      return text;
  }
}

function required<T>(key: string, text: string, wanted: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new AppError("usage", `${key}=${text} is not possible: ${key} takes ${article(wanted)}.`);
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

function parseNumber(text: string, type: "integer" | "number"): number | undefined {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  const isPossible = type === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number);
  return isPossible ? number : undefined;
}

function parseJson(text: string, type: "array" | "object"): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const isWanted = type === "array" ? Array.isArray(value) : isObject(value);
    return isWanted ? value : undefined;
  } catch {
    return undefined;
  }
}
