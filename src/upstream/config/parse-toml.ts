import { messageOf } from "../../base/errors.ts";
import { tomlCharsMax, tomlPlaceCharsMax } from "../../base/upstream-limits.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import { TextLines } from "./error-place.ts";
import type { TextPlace } from "./error-place.ts";
import { statementEnds } from "./toml-statements.ts";

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
  const fault = faultOf(text);
  if (fault === undefined) return { kind: "value", value: Bun.TOML.parse(text) };
  // The parser's stack is the bound of nesting: it says so in words that help nobody.
  if (fault.includes("call stack")) return { kind: "fault", text: "it is nested too deeply" };
  // What stands there unquoted may be a secret.
  const words = fault.replace(/: ".*$/, "");
  if (text.length > tomlPlaceCharsMax) return { kind: "fault", text: words };
  return {
    kind: "fault",
    text: words,
    place: new TextLines(text).placeAt(faultOffset(text, fault)),
  };
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
 * The parser does not say where. The first statement up to which the text does not parse has the fault; within it, the
 * shortest beginning that fails with the same words ends there. Some 20 parses.
 */
function faultOffset(text: string, fault: string): number {
  const ends = statementEnds(text);
  const bad = firstIndex(ends.length, (index) => faultOf(text.slice(0, ends[index])) !== undefined);
  const start = ends[bad - 1] ?? 0;
  const end = ends[bad] ?? text.length;
  const length = firstIndex(
    end - start,
    (index) => faultOf(text.slice(0, start + index + 1)) === fault,
  );
  return Math.min(start + length, Math.max(end - 1, 0));
}

/** The least index below `count` for which `holds`, which holds for all after it. */
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
