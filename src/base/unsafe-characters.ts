/**
 * Characters that make a terminal do something, or a reader see something that is not there: C0 but tab
 * and newline, DEL and C1, bidirectional marks, line separators, the invisible tag characters.
 */
export const unsafeCharacters =
  // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\r(?!\n)/gu;

/** `text` with every unsafe character written as `\u{…}`: text of tools and files is untrusted. */
export function escapeUnsafe(text: string): string {
  return text.replace(unsafeCharacters, escaped);
}

/** Like `escapeUnsafe`, for tabs and line ends too: an untrusted name cannot begin a line of its own. */
export function escapeName(name: string): string {
  return escapeUnsafe(name).replaceAll(/[\t\r\n]/g, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** JSON text with every unsafe character escaped: it stays the same JSON. */
export function escapeJson(json: string): string {
  return json.replace(unsafeCharacters, (character) => {
    return character.replaceAll(/[^]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
  });
}
