import { resultNotesCharsMax } from "./limits.ts";

/** Characters for the body of a result of `resultCharsMax`: the rest is for the notes about it. */
export function bodyCharsMax(resultCharsMax: number): number {
  return Math.max(Math.floor(resultCharsMax / 2), resultCharsMax - resultNotesCharsMax);
}

/** Text that is too long to show whole: its two ends, and the size of the rest. */
export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Characters between `head` and `tail`. */
  readonly omittedChars: number;
}

/**
 * Cuts `text` to about `charsMax` characters, half from each end, at line borders where one is near.
 * Returns undefined when it fits.
 */
export function cutText(text: string, charsMax: number): CutText | undefined {
  if (text.length <= charsMax) return undefined;
  const half = Math.floor(charsMax / 2);
  const head = trimToLineEnd(text.slice(0, half));
  const tail = trimToLineStart(text.slice(text.length - half));
  return { head, tail, omittedChars: text.length - head.length - tail.length };
}

/** A text, such as a command, on one line of at most `charsMax` characters. */
export function oneLine(text: string, charsMax = 100): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`.toWellFormed();
}

/** A text, cut to `charsMax` characters where it is longer. */
export function cutEnd(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`.toWellFormed();
}

/** Drops what follows the last newline, when that costs less than half of the text. */
function trimToLineEnd(text: string): string {
  const newline = text.lastIndexOf("\n");
  if (newline >= text.length / 2) return text.slice(0, newline + 1);
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

/** Drops what precedes the first newline, when that costs less than half of the text. */
function trimToLineStart(text: string): string {
  const newline = text.indexOf("\n");
  if (newline !== -1 && newline < text.length / 2) return text.slice(newline + 1);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
