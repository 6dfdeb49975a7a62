import { isObject, likeOriginal } from "../../base/values.ts";
import { unsafeCharacters } from "../../base/unsafe-characters.ts";

/**
 * Characters that people do not see but models read: zero-width characters and fillers, bidirectional marks, tags,
 * variation selectors, controls except tab and line ends.
 */
const hidden = new RegExp(
  [
    unsafeCharacters.source,
    // Characters that no font draws: joiners, fillers, tags, and the variation selectors, 256 of which can spell any
    // text.
    "\\p{Default_Ignorable_Code_Point}",
    // The Braille blank, and the joiners of hieroglyphs.
    "[\\u2800\\u{13430}-\\u{1343f}]",
  ].join("|"),
  "gu",
);

/** Sequences that form one emoji: a person sees them, and they contain no text. */
const pictures =
  /(?:\p{Extended_Pictographic}\u{fe0f}?[\u{1f3fb}-\u{1f3ff}]?(?:\u200d(?=\p{Extended_Pictographic}))?)+|[0-9#*]\ufe0f\u20e3/gu;

/** True when a text or a member name in the value has a hidden character. */
export function hasHidden(value: unknown): boolean {
  if (typeof value === "string") return textHasHidden(value);
  if (Array.isArray(value)) return value.some(hasHidden);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, part]) => textHasHidden(name) || hasHidden(part));
}

/** The value without hidden characters, in member names as well. The same object when there are none. */
export function withoutHidden<Value>(value: Value): Value {
  return hasHidden(value) ? likeOriginal(value, cleaned(value)) : value;
}

/** For people: each hidden character as `\u{…}`. */
export function escapeHidden(text: string): string {
  return replaceHidden(text, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return replaceHidden(value, () => "");
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [replaceHidden(name, () => ""), cleaned(part)]),
  );
}

function textHasHidden(text: string): boolean {
  hidden.lastIndex = 0;
  if (!hidden.test(text)) return false;
  return replaceHidden(text, () => "") !== text;
}

/** Replaces hidden characters, except in emoji. */
function replaceHidden(text: string, replace: (character: string) => string): string {
  let result = "";
  let from = 0;
  for (const picture of text.matchAll(pictures)) {
    result += text.slice(from, picture.index).replace(hidden, replace) + picture[0];
    from = picture.index + picture[0].length;
  }
  return result + text.slice(from).replace(hidden, replace);
}
