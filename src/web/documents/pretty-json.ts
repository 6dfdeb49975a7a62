import { isHeavyJson } from "../../base/json-weight.ts";

/** Deeper levels are not indented further: lines would grow without an end. */
const indentLevelsMax = 40;
/** Ordinary JSON grows to twice its size; JSON of nothing but brackets and commas may grow to forty times. */
const growthMax = 8;
/** Between strings: anything but structure and white space. */
const literal = /[^\s{}[\]:,"]+/y;
const quote = 0x22;
const backslash = 0x5c;

/**
 * JSON with a line for each member. Numbers and strings stay as they are written: parsing and writing them again would
 * round long numbers. Returns undefined for text that is not JSON, has too many values, or would grow out of all
 * proportion.
 */
export function prettyJson(text: string): string | undefined {
  if (isHeavyJson(text) || !isJson(text)) return undefined;
  const charsMax = (text.length + 10_000) * growthMax;
  const out: string[] = [];
  let chars = 0;
  for (const part of prettyParts(text)) {
    chars += part.length;
    if (chars > charsMax) return undefined;
    out.push(part);
  }
  return out.join("");
}

function* prettyParts(text: string): Generator<string> {
  let depth = 0;
  let isEmpty = false;
  for (const part of tokensOf(text)) {
    const isClosing = part === "}" || part === "]";
    if (isClosing) depth--;
    if (isClosing ? !isEmpty : isEmpty) yield newline(depth);
    isEmpty = part === "{" || part === "[";
    if (isEmpty) depth++;
    yield part === ":" ? ": " : part;
    if (part === ",") yield newline(depth);
  }
}

/** Of valid JSON. Strings are looked for by hand: an expression that repeats gives up on one of a few million characters. */
function* tokensOf(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    literal.lastIndex = at;
    const found = literal.exec(text)?.[0];
    const end = found === undefined ? endOfSign(text, at) : at + found.length;
    const part = text.slice(at, end);
    if (part.trim() !== "") yield part;
    at = end;
  }
}

/** The end of the string or of the single character that begins at `at`. */
function endOfSign(text: string, at: number): number {
  if (text.charCodeAt(at) !== quote) return at + 1;
  let end = at;
  do end = text.indexOf('"', end + 1);
  while (end !== -1 && isEscaped(text, end));
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

function newline(depth: number): string {
  return `\n${"  ".repeat(Math.min(depth, indentLevelsMax))}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
