import { linearPatternStepsMax } from "./limits.ts";

/**
 * A regular expression whose time grows with the length of the text alone. Whatever others write (users, models, clients)
 * is matched with one: the engine of the runtime tries one way after the other, gives up after seconds, and then says
 * that nothing matches.
 */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in `text`. */
  test(text: string): boolean;
}

/** Why a pattern cannot be used, as the end of a sentence. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/**
 * Compiles a pattern in the syntax of JavaScript, by code points. Looking around and back references are refused, never
 * passed over. The engine is loaded with the first pattern.
 * @param flags some of `i`, `m`, `s` and `u`
 * @throws {PatternError}
 */
export async function linearPattern(source: string, flags = ""): Promise<LinearPattern> {
  const { RE2JS, RE2JSException } = await import("re2js");
  const known = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL };
  let bits = 0;
  for (const [flag, bit] of Object.entries(known)) if (flags.includes(flag)) bits |= bit;
  const translated = RE2JS.translateRegExp(inEngineSyntax(source, flags.includes("s")));
  try {
    const pattern = RE2JS.compile(translated, bits);
    if (pattern.programSize() <= linearPatternStepsMax) return pattern;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const fault = error.message.replace(/^error parsing regexp: /, "");
    throw new PatternError(`is not a regular expression: ${fault}`);
  }
  throw new PatternError("repeats too much");
}

/** Members of a class, as JavaScript defines `\s` and `\S`; the engine knows the blanks of ASCII only. */
const spaces = String.raw`\t-\r\p{Z}\uFEFF`;
const nonSpaces =
  String.raw`\0-\x08\x0E-\x1F!-\x9F\xA1-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E` +
  String.raw`\u2030-\u205E\u2060-\u2FFF\u3001-\uFEFE\uFF00-\u{10FFFF}`;
const dot = String.raw`[^\n\r\u2028\u2029]`;

const pieces = /\\u\{[\da-f]+\}|\\[^]|\[|\]|\.|\(\?(?:<[=!]|[^])/giu;

/** Writes out classes that the two engines read differently. @throws {PatternError} for syntax that only one of them has */
function inEngineSyntax(source: string, isDotAll: boolean): string {
  let isInClass = false;
  return source.replaceAll(pieces, (piece, at: number) => {
    if (piece.startsWith("\\")) return escapeOf(piece, isInClass);
    if (piece === "]") isInClass = false;
    if (isInClass) return piece === "[" ? String.raw`\[` : piece;
    // An empty class ends at once.
    if (piece === "[") isInClass = !/\[\^?\]/y.test(source.slice(at, at + 3));
    if (piece.startsWith("(?")) checkGroup(piece, source.slice(at));
    return piece === "." && !isDotAll ? dot : piece;
  });
}

function escapeOf(piece: string, isInClass: boolean): string {
  const letter = piece.slice(1, 2);
  if (/[1-9k]/.test(letter)) throw new PatternError("refers back, which is not supported");
  if (letter === "b" && isInClass) return String.raw`\x08`;
  if (letter === "s") return isInClass ? spaces : `[${spaces}]`;
  if (letter === "S") return isInClass ? nonSpaces : `[${nonSpaces}]`;
  if (/[A-Za-z]/.test(letter) && !/[bBcdDfnpPrtuvwWx]/.test(letter))
    throw new PatternError(`has \\${letter}, which is not supported`);
  // A character without a meaning of its own may be escaped in JavaScript.
  return /[^\0-\x7F]/.test(letter) ? piece.slice(1) : piece;
}

function checkGroup(piece: string, rest: string): void {
  if (/^\(\?<?[=!]/.test(piece))
    throw new PatternError("looks ahead or behind, which is not supported");
  if (!/^\(\?(?::|<|i[:)])/.test(rest))
    throw new PatternError(`has \`${rest.slice(0, 3)}\`, which is not supported`);
}
