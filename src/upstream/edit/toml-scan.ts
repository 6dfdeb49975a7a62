import { parse } from "smol-toml";

import { AppError } from "../../base/errors.ts";
import type { ElementList, Span } from "./text-edit.ts";

/**
 * Finds the offsets of statements in a TOML text that a parser has accepted; no parser reports them. Every function
 * takes an offset and returns a later one, so that no text makes it run forever. It rejects text that it does not
 * understand.
 */

/** A table's header, or a key with its value. */
export interface TomlStatement extends Span {
  readonly kind: "table" | "pair";
  /** From the root of the document. */
  readonly path: readonly string[];
  /** The value of a pair. */
  readonly value?: Span;
}

/** An entry of an inline table. */
export interface InlineEntry {
  /** From the inline table on. */
  readonly path: readonly string[];
  readonly value: Span;
}

/** The statements in their order; `end` is before the line end, after any comment. */
export function scanToml(text: string): readonly TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let at = skipTrivia(text, 0); at < text.length; at = skipTrivia(text, at)) {
    const start = at;
    if (text[at] === "[") {
      const depth = text[at + 1] === "[" ? 2 : 1;
      const key = readKey(text, at + depth);
      table = key.path;
      at = endOfLine(text, expectText(text, skipBlanks(text, key.end), "]".repeat(depth)));
      statements.push({ kind: "table", path: table, start, end: at });
      continue;
    }
    const { path, value } = readPair(text, at);
    at = endOfLine(text, value.end);
    statements.push({ kind: "pair", path: [...table, ...path], start, end: at, value });
  }
  return statements;
}

/** The entries of the inline table whose brace is at `at`, with their offsets. */
export function scanInlineTable(
  text: string,
  at: number,
): ElementList & { readonly entries: readonly InlineEntry[] } {
  const entries: InlineEntry[] = [];
  const elements: (Span & { comma?: number })[] = [];
  const open = at + 1;
  let next = skipTrivia(text, open);
  while (text[next] !== "}") {
    const entry = readPair(text, next);
    entries.push(entry);
    const element: Span & { comma?: number } = { start: next, end: entry.value.end };
    elements.push(element);
    next = skipTrivia(text, entry.value.end);
    if (text[next] === ",") {
      element.comma = next;
      next = skipTrivia(text, next + 1);
    } else if (text[next] !== "}") throw unreadable(text, next);
  }
  return { open, close: next, elements, entries };
}

function readPair(text: string, at: number): { path: readonly string[]; value: Span } {
  const key = readKey(text, at);
  const start = skipBlanks(text, expectText(text, skipBlanks(text, key.end), "="));
  return { path: key.path, value: { start, end: endOfValue(text, start) } };
}

function readKey(text: string, at: number): { path: readonly string[]; end: number } {
  const path: string[] = [];
  let next = at;
  for (;;) {
    const start = skipBlanks(text, next);
    const quote = text[start];
    const isQuoted = quote === '"' || quote === "'";
    const end = isQuoted ? endOfString(text, start) : endOfBareKey(text, start);
    path.push(isQuoted ? unquote(text.slice(start, end)) : text.slice(start, end));
    next = skipBlanks(text, end);
    if (text[next] !== ".") return { path, end };
    next++;
  }
}

function endOfBareKey(text: string, at: number): number {
  const end = matchEnd(/[^\s.=\]"'#,{}[]+/y, text, at);
  if (end === at) throw unreadable(text, at);
  return end;
}

/** The value of a quoted key. */
function unquote(quoted: string): string {
  return Object.keys(parse(`${quoted} = 0`))[0] ?? "";
}

function endOfValue(text: string, at: number): number {
  switch (text[at] ?? "") {
    case '"':
    case "'":
      return endOfString(text, at);
    case "[":
    case "{":
      return endOfBrackets(text, at);
    default: {
      const end = matchEnd(/[^\r\n#,\]}]+/y, text, at);
      if (end === at) throw unreadable(text, at);
      return at + text.slice(at, end).trimEnd().length;
    }
  }
}

function endOfBrackets(text: string, at: number): number {
  let depth = 0;
  for (let next = at; next < text.length;) {
    const character = text[next] ?? "";
    if (character === '"' || character === "'") {
      next = endOfString(text, next);
      continue;
    }
    if (character === "#") {
      next = matchEnd(/[^\n]*/y, text, next);
      continue;
    }
    if ("[{".includes(character)) depth++;
    if ("]}".includes(character)) depth--;
    next++;
    if (depth === 0) return next;
  }
  throw unreadable(text, at);
}

function endOfString(text: string, at: number): number {
  const quote = text[at] ?? "";
  const fence = quote.repeat(3);
  if (text.startsWith(fence, at)) return endOfLongString(text, at, fence);
  const end = matchEnd(quote === '"' ? /"(?:[^"\\\n]|\\[^\n])*"/y : /'[^'\n]*'/y, text, at);
  if (end === at) throw unreadable(text, at);
  return end;
}

function endOfLongString(text: string, at: number, fence: string): number {
  let next = at + 3;
  while (!text.startsWith(fence, next)) {
    if (next >= text.length) throw unreadable(text, at);
    next += fence === '"""' && text[next] === "\\" ? 2 : 1;
  }
  next += 3;
  // The string may end with up to two quotes before the closing three.
  const end = next + 2;
  while (next < end && text[next] === fence[0]) next++;
  return next;
}

/** Skips white space, line ends and comments. */
function skipTrivia(text: string, at: number): number {
  return matchEnd(/(?:[ \t\r\n]+|#[^\n]*)*/y, text, at);
}

function skipBlanks(text: string, at: number): number {
  return matchEnd(/[ \t]*/y, text, at);
}

/** Offset before the line end; only a comment may come before it. */
function endOfLine(text: string, at: number): number {
  const end = matchEnd(/[ \t]*(?:#[^\r\n]*)?(?=\r?\n|\r?$)/y, text, at);
  if (text[end] !== "\r" && text[end] !== "\n" && end < text.length) throw unreadable(text, end);
  return end;
}

function expectText(text: string, at: number, wanted: string): number {
  if (!text.startsWith(wanted, at)) throw unreadable(text, at);
  return at + wanted.length;
}

/** Offset after the match of `pattern`, which is sticky; `at` when it does not match. */
function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function unreadable(text: string, at: number): AppError {
  const line = text.slice(0, at).split("\n").length;
  return new AppError("config", `line ${line} has a layout that cannot be edited`);
}
