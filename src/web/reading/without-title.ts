/** Only letters and digits: a heading may be written with marks, a title without. */
const wordsOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/**
 * Text without a first heading that says no more than the title, which is already above it. The text after it decides
 * nothing: the same text is left out of every part of a long page.
 */
export function withoutTitle(text: string, title: string): string {
  const [first = ""] = /^#? ?[^\n]*/.exec(text) ?? [];
  const isTitle = wordsOf(first) !== "" && wordsOf(first) === wordsOf(title);
  return isTitle ? text.slice(first.length).replace(/^\n+/, "") : text;
}
