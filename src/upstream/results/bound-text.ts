import { cutLine } from "../../base/cut-line.ts";
import { bodyCharsMax, cutText } from "../../base/cut-text.ts";
import { resultBytesPerChar } from "../../base/limits.ts";
import type { ResultStore, SavedResult } from "./saved-results.ts";

/** A text that fits, and where the whole is when it had to be cut. */
export interface BoundText {
  readonly text: string;
  readonly saved?: SavedResult;
}

/** Whether `text` fits into a result of `charsMax` characters, also as JSON text in bytes. */
export function fits(text: string, charsMax: number): boolean {
  if (text.length > charsMax) return false;
  const bytesMax = charsMax * resultBytesPerChar;
  // Most texts are so short that they need not be counted.
  return text.length * jsonBytesPerCharMax + 2 <= bytesMax || jsonBytes(text) <= bytesMax;
}

/**
 * `text` as it is when it fits, else its two ends with one line between them that says how long it was, what was left
 * out and how to read it (CA14).
 */
export async function boundText(
  text: string,
  charsMax: number,
  results: ResultStore,
): Promise<BoundText> {
  if (fits(text, charsMax)) return { text };
  const cut = cutToFit(text, bodyCharsMax(charsMax));
  const saved = await results.keep(text, Buffer.byteLength(cut.head));
  const left = { amount: cut.omittedChars, total: text.length, unit: "characters" } as const;
  const line = cutLine(left, saved);
  const gap = cut.head === "" || cut.head.endsWith("\n") ? "" : "\n";
  const shown = `${cut.head}${gap}${line}\n${cut.tail}`;
  return saved === undefined ? { text: shown } : { text: shown, saved };
}

/** Texts that need many bytes are cut to fewer characters. */
function cutToFit(text: string, charsMax: number): NonNullable<ReturnType<typeof cutText>> {
  for (let max = charsMax; ; max = Math.floor(max / 2)) {
    const cut = cutText(text, max) ?? { head: "", tail: text, omittedChars: 0 };
    const bytes = jsonBytes(cut.head) + jsonBytes(cut.tail);
    if (bytes <= charsMax * resultBytesPerChar || max <= 1) return cut;
  }
}

/** Of a control character or half of one: `\u001b`. */
const jsonBytesPerCharMax = 6;

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
