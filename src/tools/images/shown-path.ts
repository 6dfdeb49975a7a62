/** Of a longer path its beginning and its end are shown, in characters. */
const shownCharsMax = 400;
const beginningChars = 100;

/**
 * A path as messages show it: a file name could otherwise begin a new line of the answer, or have it read from right to
 * left.
 */
export function shownPath(path: string): string {
  const cut =
    path.length > shownCharsMax
      ? `${path.slice(0, beginningChars)}…${path.slice(beginningChars - shownCharsMax)}`
      : path;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
