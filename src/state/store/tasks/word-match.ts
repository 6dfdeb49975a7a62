/** Makes texts alike that differ in case or in the way their characters are written only. */
export function foldText(text: string): string {
  return text.normalize("NFKC").toUpperCase();
}

/** Those of `words`, which are folded and different, that do not occur in a text, as parts of words too. */
export function missingWords(words: readonly string[], text: string): readonly string[] {
  const folded = foldText(text);
  return words.filter((word) => !folded.includes(word));
}
