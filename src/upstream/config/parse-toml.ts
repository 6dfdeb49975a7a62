import { messageOf } from "../../base/errors.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import { placeAt } from "./error-place.ts";
import type { TextPlace } from "./error-place.ts";

export type ParsedText =
  | { readonly kind: "value"; readonly value: unknown }
  /** `text` is one clause, without place and full stop. */
  | { readonly kind: "fault"; readonly text: string; readonly place?: TextPlace };

/** Parses TOML. All tables are null-prototype. Never throws. */
export function parseToml(source: string): ParsedText {
  const text = source.startsWith(byteOrderMark) ? source.slice(1) : source;
  const fault = faultOf(text);
  if (fault === undefined) return { kind: "value", value: Bun.TOML.parse(text) };
  // The parser's stack is the bound of nesting: it says so in words that help nobody.
  if (fault.includes("call stack")) return { kind: "fault", text: "it is nested too deeply" };
  return { kind: "fault", text: fault, place: placeAt(text, faultOffset(text, fault)) };
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
 * The parser does not say where. It reads from left to right, so a beginning of the text that holds the fault fails
 * with the same words as the whole; the shortest such beginning ends at the fault. First lines are tried, then the
 * characters of the line: some 30 parses for the largest file.
 */
function faultOffset(text: string, fault: string): number {
  const ends = [...text.matchAll(/\n|$/g)].map((match) => match.index);
  const line = firstIndex(ends.length, (index) => faultOf(text.slice(0, ends[index])) === fault);
  const start = line === 0 ? 0 : (ends[line - 1] ?? 0) + 1;
  const length = (ends[line] ?? text.length) - start;
  const column = firstIndex(length, (index) => faultOf(text.slice(0, start + index + 1)) === fault);
  return start + Math.min(column, Math.max(length - 1, 0));
}

/** The least index below `count` for which `holds`, when it holds for all above; else one where it begins to hold. */
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
