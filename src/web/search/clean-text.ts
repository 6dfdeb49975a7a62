/**
 * Characters that a reader does not see, or that disguise others: controls, zero-width ones, bidirectional marks,
 * fillers, variation selectors, and the tag characters in which text can hide.
 */
const invisibleCharacters = /[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** A text of the web on one line, with nothing in it that is not to be seen. */
export function cleanLine(text: string): string {
  return Bun.stripANSI(text.toWellFormed())
    .replaceAll(/[\t-\r\u0085\p{Z}]+/gu, " ")
    .replaceAll(invisibleCharacters, "")
    .replaceAll(/ {2,}/g, " ")
    .trim();
}

/** The cut of a text when no word boundary is near the limit. */
const wordPartMin = 0.6;

/** At most `charsMax` characters of `text`, cut behind a word and ended with `…`. */
export function cutAtWord(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const room = text.slice(0, charsMax - 1);
  const space = /\s/.test(text.charAt(charsMax - 1)) ? room.length : room.lastIndexOf(" ");
  // A script without spaces, or one endless word.
  const kept =
    space < room.length * wordPartMin ? withoutHalfCharacter(room) : room.slice(0, space);
  return `${kept.replace(/[\s,;:–—-]+$/, "")}…`;
}

function withoutHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
