import { messageOf } from "../../base/errors.ts";
import { tomlCharsMax, tomlDefinitionsMax } from "../../base/upstream-limits.ts";
import { byteOrderMark } from "../../config/env-file.ts";

export type ParsedText =
  | { readonly kind: "value"; readonly value: unknown }
  /** `text` is one clause, without place and full stop. */
  | { readonly kind: "fault"; readonly text: string; readonly place?: TextPlace };

/** Parses TOML. All tables are null-prototype. Never throws. */
export function parseToml(source: string): ParsedText {
  const text = source.startsWith(byteOrderMark) ? source.slice(1) : source;
  if (text.length > tomlCharsMax) {
    return { kind: "fault", text: `it is longer than ${tomlCharsMax} characters` };
  }
  const { ends, definitions } = findTomlStatements(text);
  if (definitions > tomlDefinitionsMax) {
    const what = `${tomlDefinitionsMax} keys, tables and lists`;
    return { kind: "fault", text: `it has more than ${what}` };
  }
  const fault = faultOf(text);
  if (fault === undefined) return { kind: "value", value: Bun.TOML.parse(text) };
  const place = new TextLines(text).placeAt(faultOffset(text, ends));
  // The parser's stack is the limit of nesting, and its own message does not help.
  if (fault.includes("call stack"))
    return { kind: "fault", text: "it is nested too deeply", place };
  return { kind: "fault", text: withoutText(fault), place };
}

function faultOf(text: string): string | undefined {
  try {
    Bun.TOML.parse(text);
    return undefined;
  } catch (error) {
    const message = messageOf(error).replace(/^TOML Parse error: /, "");
    return message.split("\n")[0] ?? message;
  }
}

/**
 * Finds a fault's place. The parser does not report it, so it parses again statement by statement: a statement that is
 * wrong by itself is wrong anywhere. A statement that only conflicts with earlier ones is the first up to which the
 * text does not parse; finding it takes some 12 parses of large parts of the text.
 */
function faultOffset(text: string, ends: readonly number[]): number {
  const startOf = (index: number): number => ends[index - 1] ?? 0;
  const statement = (index: number): string => text.slice(startOf(index), ends[index]);
  const failsUpTo = (end: number): boolean => faultOf(text.slice(0, end)) !== undefined;
  const wrong = ends.findIndex((_, index) => faultOf(statement(index)) !== undefined);
  if (wrong !== -1 && !failsUpTo(startOf(wrong))) {
    return startOf(wrong) + offsetInStatement(statement(wrong));
  }
  const count = wrong === -1 ? ends.length : wrong;
  const unfitting = firstIndex(count, (index) => failsUpTo(ends[index] ?? text.length));
  return startOf(unfitting) + offsetOfName(statement(unfitting), text.slice(0, ends[unfitting]));
}

/** The unquoted text there may be a secret. */
function withoutText(fault: string): string {
  return fault.replace(/: ".*$/, "");
}

/** The shortest beginning of the statement that fails with the same message ends there. */
function offsetInStatement(statement: string): number {
  const fault = withoutText(faultOf(statement) ?? "");
  const length = firstIndex(
    statement.length,
    (index) => withoutText(faultOf(statement.slice(0, index + 1)) ?? "") === fault,
  );
  return Math.min(length, Math.max(statement.length - 1, 0));
}

/** For a key or table that conflicts with an earlier one, the parser reports the name. */
function offsetOfName(statement: string, upToIt: string): number {
  const [, name = ""] = /'([^']*)'/.exec(faultOf(upToIt) ?? "") ?? [];
  const [key = ""] = statement.split("=", 1);
  return Math.max(key.lastIndexOf(name), 0);
}

/** The least index below `count` for which `holds` is true, as it then is for all later ones. */
function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = Math.max(count - 1, 0);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The statements of a TOML text, found without parsing it. */
interface TomlStatements {
  /**
   * Where the statements end: up to each of them the text may be complete. After a fault, statements may be cut
   * anywhere.
   */
  readonly ends: readonly number[];
  /** Keys, tables and lists that are not in another list: the parser's time grows with the square of their number. */
  readonly definitions: number;
}

/** Finds the statements of a TOML text, correctly up to its first fault. Linear; never throws. */
function findTomlStatements(text: string): TomlStatements {
  const ends: number[] = [];
  let definitions = 0;
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const character = text[index] ?? "";
    if (character === '"' || character === "'") {
      index = endOfString(text, index, character);
      continue;
    }
    if (character === "#") {
      const end = text.indexOf("\n", index);
      index = end === -1 ? text.length : end;
      continue;
    }
    if (character === "=" || (character === "[" && depth === 0)) definitions++;
    if ("[{".includes(character)) depth++;
    if ("]}".includes(character)) depth = Math.max(depth - 1, 0);
    index++;
    if (character === "\n" && depth === 0) ends.push(index);
  }
  ends.push(text.length);
  return { ends, definitions };
}

/** The index after the string that begins at `start`; an unclosed string ends with its line, or the text. */
function endOfString(text: string, start: number, quote: string): number {
  const triple = quote.repeat(3);
  const isLong = text.startsWith(triple, start);
  const close = isLong ? triple : quote;
  let index = start + close.length;
  while (index < text.length) {
    if (text.startsWith(close, index)) return index + close.length;
    if (!isLong && text[index] === "\n") return index;
    index += quote === '"' && text[index] === "\\" ? 2 : 1;
  }
  return text.length;
}

/** A place in a text; both count from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Finds the lines of many places in one text. */
export class TextLines {
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
