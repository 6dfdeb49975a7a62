import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

import { byteOrderMark } from "../../config/env-file.ts";
import { problemsPerPlaceMax } from "../../config/problems.ts";
import type { ParsedText, TextPlace } from "./parse-toml.ts";

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
