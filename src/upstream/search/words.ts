import { stem } from "./stem.ts";

/**
 * The words of a text in lower case: split at all that is neither letter nor digit, and where camel case begins a word.
 * Scripts that put no blanks between words give pairs of characters.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const spaced = text
    .normalize("NFKC")
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/['’](?:s|t|re|ve|ll|d|m)\b/gu, "");
  for (const [word] of spaced.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (unspaced.test(word)) words.push(...pairsOf(word));
    else words.push(word);
  }
  return words;
}

/** The stems of a text's words: what is counted, and what is looked up. */
export function termsOf(text: string): string[] {
  return wordsOf(text).map((word) => stem(word));
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
