import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import type { Table } from "../config/parse-server-file.ts";
import {
  appendElement,
  applyEdits,
  editPassesMax,
  lineEndOf,
  lineStartOf,
  nextLineOf,
  removal,
  removeElement,
  type TextEdit,
  tooOften,
} from "./text-edit.ts";
import { scanInlineTable, scanToml, type TomlStatement } from "./toml-scan.ts";

/** Where our own files have the servers. */
const serversPath = ["mcp", "servers"];

/**
 * `text` with a table for the server as its last lines, or inside the inline table that has the others.
 * `removeFromToml` restores every byte. The text must be valid TOML without that server.
 */
export function addToToml(
  text: string,
  name: string,
  entry: Table,
  home: readonly string[] = serversPath,
): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const body = text.slice(mark.length);
  const inline = inlineHome(body, scanToml(body), home);
  if (inline !== undefined) {
    const key = [...inline.missing, name].map(tomlKey).join(".");
    const element = `${key} = ${tomlInline(entry)}`;
    const added = { text: element, separator: " ", isOnOwnLine: false };
    return mark + applyEdits(body, appendElement(body, scanInlineTable(body, inline.at), added));
  }
  return (
    mark + appendLines(body, [`[${[...home, name].map(tomlKey).join(".")}]`, ...tomlPairs(entry)])
  );
}

/** `text` without the server, in whichever form of TOML it was written. */
export function removeFromToml(
  text: string,
  name: string,
  home: readonly string[] = serversPath,
): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  let body = text.slice(mark.length);
  // Only one element of an inline table can be removed at a time.
  for (let left = editPassesMax; left > 0; left--) {
    const edits = removals(body, [...home, name]);
    if (edits.length === 0) return mark + body;
    body = applyEdits(body, edits);
  }
  throw tooOften(name);
}

/**
 * `text` with another value of one key of the table, or without it; the rest stays as it is. The table may have a header, be an
 * inline table, or be made of dotted keys. Unchanged when there is no such table.
 */
export function setMemberInToml(
  text: string,
  table: readonly string[],
  name: string,
  value: unknown,
): string {
  const statements = scanToml(text);
  const inline = inlineMember(text, statements, { table, name, value });
  if (inline !== undefined) return applyEdits(text, inline);
  const pair = statements.find(
    ({ kind, path }) => kind === "pair" && isSamePath(path, [...table, name]),
  );
  if (pair?.value !== undefined) {
    const edit =
      value === undefined
        ? lineRemoval(text, pair, pair)
        : { ...pair.value, text: tomlValue(value) };
    return applyEdits(text, [edit]);
  }
  const spot = spotIn(statements, table);
  if (value === undefined || spot === undefined) return text;
  const { last, hasHeader } = spot;
  const at = nextLineOf(text, last.end);
  const lineEnd = lineEndOf(text);
  const indent = text.slice(lineStartOf(text, last.start), last.start);
  const before = hasHeader ? keysBefore(statements, last, table) : [];
  const pairLine = `${[...before, name].map(tomlKey).join(".")} = ${tomlValue(value)}`;
  const lines = hasHeader ? [pairLine] : ["", `[${table.map(tomlKey).join(".")}]`, pairLine];
  const added = lines.map((line) => (line === "" ? "" : indent + line)).join(lineEnd);
  const isOpen = text[at - 1] !== "\n";
  return applyEdits(text, [
    { start: at, end: at, text: isOpen ? lineEnd + added : added + lineEnd },
  ]);
}

/**
 * The statement after which a key of the table can be added: below its header, or the last of its dotted keys. A table that has
 * nothing but tables of its own gets a header after the last one of these.
 */
function spotIn(
  statements: readonly TomlStatement[],
  table: readonly string[],
): { readonly last: TomlStatement; readonly hasHeader: boolean } | undefined {
  const header = statements.findIndex(
    ({ kind, path }) => kind === "table" && isSamePath(path, table),
  );
  const below = statements.findLastIndex(
    ({ kind, path }) => kind === "table" && isPrefix(table, path),
  );
  const dotted = statements.findLastIndex(
    ({ kind, path }, index) =>
      kind === "pair" && isPrefix(table, path) && !isPrefix(table, headerOf(statements, index)),
  );
  if (header === -1 && dotted === -1 && below === -1) return undefined;
  const index =
    header === -1 && dotted !== -1
      ? dotted
      : lastOfTable(statements, header === -1 ? below : header);
  const last = statements[index];
  return last && { last, hasHeader: header !== -1 || dotted !== -1 };
}

/** The path of the header that statement `index` is below. */
function headerOf(statements: readonly TomlStatement[], index: number): readonly string[] {
  return statements.slice(0, index).findLast(({ kind }) => kind === "table")?.path ?? [];
}

/** The keys with which a key beside `last` has to begin, to be one of `table`: none below a header of its own. */
function keysBefore(
  statements: readonly TomlStatement[],
  last: TomlStatement,
  table: readonly string[],
): readonly string[] {
  return table.slice(headerOf(statements, statements.indexOf(last) + 1).length);
}

interface MemberChange {
  readonly table: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

/** The edits where the table is inline, or inside an inline one; undefined where it is not. */
function inlineMember(
  text: string,
  pairs: readonly Pick<TomlStatement, "path" | "value">[],
  change: MemberChange,
  above: readonly string[] = [],
): readonly TextEdit[] | undefined {
  for (const { path, value: span } of pairs) {
    const full = [...above, ...path];
    if (span === undefined || text[span.start] !== "{" || !isPrefix(full, change.table)) continue;
    const list = scanInlineTable(text, span.start);
    const rest = change.table.slice(full.length);
    const deeper = inlineMember(text, list.entries, change, full);
    if (deeper !== undefined) return deeper;
    // Inside, it may be made of dotted keys.
    if (rest.length > 0 && !list.entries.some((entry) => isPrefix(rest, entry.path))) continue;
    return inlineEdits(text, list, [...rest, change.name], change.value);
  }
  return undefined;
}

function inlineEdits(
  text: string,
  list: ReturnType<typeof scanInlineTable>,
  key: readonly string[],
  value: unknown,
): readonly TextEdit[] {
  const index = list.entries.findIndex(({ path }) => isSamePath(path, key));
  const old = list.entries[index]?.value;
  if (value === undefined) return old === undefined ? [] : removeElement(text, list, index);
  if (old !== undefined) return [{ ...old, text: tomlValue(value) }];
  const element = `${key.map(tomlKey).join(".")} = ${tomlValue(value)}`;
  return appendElement(text, list, { text: element, separator: " ", isOnOwnLine: false });
}

/** Appends lines after a blank line when the text is not empty; keeps or omits the last line end as before. */
function appendLines(body: string, lines: readonly string[]): string {
  const lineEnd = lineEndOf(body);
  const added = lines.join(lineEnd);
  if (body === "") return `${added}${lineEnd}`;
  return body.endsWith("\n")
    ? `${body}${lineEnd}${added}${lineEnd}`
    : `${body}${lineEnd}${lineEnd}${added}`;
}

interface InlineHome {
  /** Offset of its brace. */
  readonly at: number;
  /** Keys from there to the servers. */
  readonly missing: readonly string[];
}

/** The innermost inline table that has, or must have, the servers: TOML forbids adding to it from outside. */
function inlineHome(
  text: string,
  pairs: readonly Pick<TomlStatement, "path" | "value">[],
  home: readonly string[],
  above: readonly string[] = [],
): InlineHome | undefined {
  for (const { path, value } of pairs) {
    const full = [...above, ...path];
    if (value === undefined || text[value.start] !== "{" || !isPrefix(full, home)) continue;
    const { entries } = scanInlineTable(text, value.start);
    const missing = home.slice(full.length);
    return inlineHome(text, entries, home, full) ?? { at: value.start, missing };
  }
  return undefined;
}

function removals(text: string, target: readonly string[]): readonly TextEdit[] {
  const statements = scanToml(text);
  const edits: TextEdit[] = [];
  for (let index = 0; index < statements.length; index++) {
    const statement = statements[index];
    if (statement === undefined) break;
    const { kind, path, value } = statement;
    if (isPrefix(target, path)) {
      const last = kind === "table" ? lastOfTable(statements, index) : index;
      edits.push(lineRemoval(text, statement, statements[last] ?? statement));
      index = last;
    } else if (value !== undefined && text[value.start] === "{" && isPrefix(path, target)) {
      edits.push(...inlineRemovals(text, value.start, target.slice(path.length)));
    }
  }
  return edits;
}

/** Index of the last pair below the header at `index`. */
function lastOfTable(statements: readonly TomlStatement[], index: number): number {
  const next = statements.findIndex(({ kind }, at) => at > index && kind === "table");
  return (next === -1 ? statements.length : next) - 1;
}

/** Whole lines; of a table also the blank line before it. */
function lineRemoval(text: string, first: TomlStatement, last: TomlStatement): TextEdit {
  const start = lineStartOf(text, first.start);
  const end = nextLineOf(text, last.end);
  if (start === 0) return removal(0, end);
  // A text that ends without a line end must do so afterwards as well.
  const isOpen = text[end - 1] !== "\n";
  const lineEnd = /\r?\n$/;
  let from = isOpen ? start - (lineEnd.exec(text.slice(0, start))?.[0].length ?? 0) : start;
  if (first.kind === "table") {
    const blank = (isOpen ? /\r?\n$/ : /(?<=\n|^)\r?\n$/).exec(text.slice(0, from));
    from -= blank?.[0].length ?? 0;
  }
  return removal(from, end);
}

function inlineRemovals(text: string, at: number, target: readonly string[]): readonly TextEdit[] {
  const table = scanInlineTable(text, at);
  const inside = table.entries.flatMap(({ path, value }) =>
    text[value.start] === "{" && path.length < target.length && isPrefix(path, target)
      ? inlineRemovals(text, value.start, target.slice(path.length))
      : [],
  );
  // One at a time: the bytes removed with an element depend on its neighbours.
  const own = table.entries.findIndex(({ path }) => isPrefix(target, path));
  return own === -1 ? inside : [...inside, ...removeElement(text, table, own)];
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && isPrefix(one, other);
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => path[index] === key);
}

/** The lines of a table, without its header. @throws {AppError} `usage` for a value that TOML cannot express */
export function tomlPairs(entry: Table): readonly string[] {
  return Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
}

/** `{ a = 1 }`, on one line. @throws {AppError} `usage` for a value that TOML cannot express */
function tomlInline(entry: Table): string {
  const pairs = tomlPairs(entry);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

function tomlValue(value: unknown): string {
  if (typeof value === "string") return tomlString(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return tomlNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => tomlValue(item)).join(", ")}]`;
  if (isObject(value)) return tomlInline(value);
  throw new AppError(
    "usage",
    `A value is ${String(value)}, which TOML cannot express: leave it out.`,
  );
}

function tomlNumber(value: number): string {
  if (!Number.isFinite(value))
    throw new AppError("usage", `${value} is not a number that a file can hold.`);
  return JSON.stringify(value);
}

/** A basic string. JSON escapes as TOML does, except for DEL, which TOML wants escaped. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", String.raw`\u007F`);
}
