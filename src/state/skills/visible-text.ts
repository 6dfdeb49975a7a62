import { oneLine } from "../../base/cut-text.ts";
import { unsafeCharacters } from "../../base/unsafe-characters.ts";

/** `text` without the characters that nobody sees, on one line of at most `charsMax` characters. */
export function visibleLine(text: string, charsMax: number): string {
  return oneLine(withoutUnseen(text), charsMax);
}

/** `text` without the characters that nobody sees. */
export function withoutUnseen(text: string): string {
  // Default ignorable: fillers, variation selectors and such, of which whole hidden texts can be made.
  return text
    .toWellFormed()
    .replace(unsafeCharacters, "")
    .replaceAll(/\p{DI}/gu, "");
}
