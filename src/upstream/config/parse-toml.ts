import { parse, TomlError } from "smol-toml";

import { tomlCharsMax } from "../../base/upstream-limits.ts";
import { byteOrderMark } from "../../config/env-file.ts";

export type ParsedText =
  | { readonly kind: "value"; readonly value: unknown }
  /** `text` is one clause, without place and full stop. */
  | { readonly kind: "fault"; readonly text: string; readonly place?: TextPlace };

/** A place in a text; both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Not behind another carriage return: that is an error, and the rest would be taken for a line end. */
const windowsLineEnd = /(?<!\r)\r\n/g;

/** Parses TOML. All tables are null-prototype. Never throws. */
export function parseToml(source: string): ParsedText {
  const text = source.startsWith(byteOrderMark) ? source.slice(1) : source;
  if (text.length > tomlCharsMax) {
    return { kind: "fault", text: `it is longer than ${tomlCharsMax} characters` };
  }
  try {
    // Line ends inside a long string are part of what the user approved: the same on every system.
    return { kind: "value", value: parse(text.replaceAll(windowsLineEnd, "\n")) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    return { kind: "fault", text: wordsOf(error), place: { line, column } };
  }
}

/** The library's words; below them it quotes the text, which may hold a secret. */
function wordsOf({ message }: TomlError): string {
  const [first = ""] = message.replace(/^Invalid TOML document: /, "").split("\n");
  if (first === "invalid value") return "invalid value; strings must be quoted";
  return first.startsWith("document contains excessively") ? "it is nested too deeply" : first;
}
