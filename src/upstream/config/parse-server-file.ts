import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { parse, TomlError } from "smol-toml";

import { tomlCharsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import { problemsPerPlaceMax } from "../../config/problems.ts";

export type ParsedText =
  | { readonly kind: "value"; readonly value: unknown }
  /** `text` is one clause, without place and full stop. */
  | { readonly kind: "fault"; readonly text: string; readonly place?: TextPlace };

/** A place in a text; both count from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Not behind another carriage return: that is an error, and the rest would be taken for a line end. */
const windowsLineEnd = /(?<!\r)\r\n/g;

/** Parses TOML. All tables are null-prototype. Never throws. */
export function parseToml(source: string): ParsedText {
  const text = source.startsWith(byteOrderMark) ? source.slice(1) : source;
  if (text.length > tomlCharsMax) {
    return { kind: "fault", text: `it is longer than ${tomlCharsMax} characters` };
  }
  try {
    // The user approved the line ends inside a long string too: they are the same on every system.
    const value = parse(text.replaceAll(windowsLineEnd, "\n"));
    // The library leaves dates to the engine, which reads no further than a NUL.
    return text.includes("\0") ? nulFault(text) : { kind: "value", value };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    return { kind: "fault", text: wordsOf(error), place: { line, column } };
  }
}

function nulFault(text: string): ParsedText {
  const before = text.slice(0, text.indexOf("\0")).split("\n");
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return { kind: "fault", text: "a NUL character is not allowed", place };
}

/** The library's words; below them it quotes the text, which may hold a secret. */
function wordsOf({ message }: TomlError): string {
  const [first = ""] = message.replace(/^Invalid TOML document: /, "").split("\n");
  if (first === "invalid value") return "invalid value; strings must be quoted";
  return first.startsWith("document contains excessively") ? "it is nested too deeply" : first;
}

/** A key that an object defines twice; the last value is used. */
interface Duplicate {
  readonly key: string;
  readonly line: number;
}

export interface ParsedJson {
  readonly parsed: ParsedText;
  readonly duplicates: readonly Duplicate[];
  /** The line in which an object of the value begins, counted from 1. */
  readonly lineOf: (value: unknown) => number | undefined;
}

/**
 * Parses JSON with comments, trailing commas and a byte order mark. All objects are null-prototype, so that a key
 * named `__proto__` is a key. Never throws.
 */
export function parseJsonc(source: string): ParsedJson {
  const text = source.startsWith(byteOrderMark) ? source.slice(1) : source;
  const errors: ParseError[] = [];
  const offsets = new WeakMap<object, number>();
  const duplicates: Duplicate[] = [];
  const lines = new TextLines(text);
  const lineOf = (value: unknown): number | undefined => {
    const offset = typeof value === "object" && value !== null ? offsets.get(value) : undefined;
    return offset === undefined ? undefined : lines.placeAt(offset).line;
  };
  const done = (parsed: ParsedText): ParsedJson => ({ parsed, duplicates, lineOf });
  if (text.trim() === "") return done({ kind: "fault", text: "it is empty" });
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (root === undefined || error !== undefined) return done(faultOf(lines, error));
    const onDuplicate = (key: string, offset: number): void => {
      if (duplicates.length >= problemsPerPlaceMax) return;
      duplicates.push({ key, line: lines.placeAt(offset).line });
    };
    return done({ kind: "value", value: valueOf(root, offsets, onDuplicate) });
  } catch (error) {
    // The parser's stack is the limit of nesting.
    if (!(error instanceof RangeError)) throw error;
    const place = lines.placeAt(deepestOffset(text));
    return done({ kind: "fault", text: "it is nested too deeply", place });
  }
}

function faultOf(lines: TextLines, error: ParseError | undefined): ParsedText {
  if (error === undefined) return { kind: "fault", text: "it has nothing but comments" };
  const words = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  const place = lines.placeAt(error.offset);
  return { kind: "fault", text: `it is not valid JSON (${words.toLowerCase()})`, place };
}

/** The offset of the first of the innermost arrays or objects. */
function deepestOffset(text: string): number {
  let depth = 0;
  let deepest = 0;
  let offset = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"?|[[{]|[\]}]/g)) {
    if (found === "[" || found === "{") depth++;
    else if (found === "]" || found === "}") depth--;
    if (depth > deepest) {
      deepest = depth;
      offset = index;
    }
  }
  return offset;
}

function valueOf(
  node: Node,
  offsets: WeakMap<object, number>,
  onDuplicate: (key: string, offset: number) => void,
): unknown {
  if (node.type === "array") {
    return (node.children ?? []).map((child) => valueOf(child, offsets, onDuplicate));
  }
  if (node.type !== "object") return node.value;
  const object: Record<string, unknown> = Object.create(null);
  for (const { children, offset } of node.children ?? []) {
    const [key, value] = children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (name in object) onDuplicate(name, offset);
    object[name] = valueOf(value, offsets, onDuplicate);
  }
  offsets.set(object, node.offset);
  return object;
}

/** Finds the lines of many places in one text. */
class TextLines {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  placeAt(offset: number): TextPlace {
    this.#starts ??= [0, ...Array.from(this.#text.matchAll(/\n/g), ({ index }) => index + 1)];
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

/** A table of TOML, or an object of JSON. */
export type Table = Readonly<Record<string, unknown>>;

/** An entry as written in a file; nothing in it has been checked. */
export interface RawEntry {
  /** Undefined in a list whose entry has none. */
  readonly name: unknown;
  readonly value: unknown;
}

export type RawEntries =
  | { readonly kind: "entries"; readonly entries: readonly RawEntry[] }
  | { readonly kind: "fault"; readonly text: string };

/** Keys under which files in JSON keep their servers (CF9). */
export const serverKeys = ["mcpServers", "mcp_servers", "servers", "context_servers"];

const addressKeys = ["command", "url", "serverUrl", "httpUrl"];

/** Finds the entries in the JSON of any of the known shapes (CF9, CF10). */
export function entriesOfJson(root: unknown): RawEntries {
  if (Array.isArray(root)) return { kind: "entries", entries: root.map(listEntry) };
  if (!isObject(root)) return { kind: "fault", text: "it holds neither an object nor a list" };
  const containers = serverKeys.filter((key) => Object.hasOwn(root, key));
  if (containers.length === 0) return entriesOfBareMap(root);
  const filled = containers.find((key) => !isEmpty(root[key])) ?? containers[0] ?? "";
  return entriesOfContainer(filled, root[filled]);
}

/** Finds the entries in a parsed `config.toml`: `[mcp.servers.NAME]`. */
export function entriesOfToml(root: unknown): RawEntries {
  const mcp = isObject(root) ? root["mcp"] : undefined;
  const servers = isObject(mcp) ? mcp["servers"] : undefined;
  if (servers === undefined) return { kind: "entries", entries: [] };
  return entriesOfContainer("mcp.servers", servers);
}

function entriesOfContainer(key: string, value: unknown): RawEntries {
  if (Array.isArray(value)) return { kind: "entries", entries: value.map(listEntry) };
  if (isObject(value)) return { kind: "entries", entries: entriesOfTable(value) };
  return { kind: "fault", text: `its ${key} is neither an object nor a list` };
}

function entriesOfTable(table: Table): RawEntry[] {
  return Object.entries(table).map(([name, value]) => ({ name, value }));
}

function listEntry(value: unknown): RawEntry {
  return { name: isObject(value) ? value["name"] : undefined, value };
}

/** Only when every entry looks like a server: another program's settings are not broken servers. */
function entriesOfBareMap(root: Table): RawEntries {
  const entries = entriesOfTable(root);
  const isMap = entries.every(
    ({ value }) => isObject(value) && addressKeys.some((key) => Object.hasOwn(value, key)),
  );
  if (isMap) return { kind: "entries", entries };
  return { kind: "fault", text: `it has no ${serverKeys[0]}` };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
