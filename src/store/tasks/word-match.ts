/** Makes texts alike that differ in case or in the way their characters are written only. */
function fold(text: string): string {
  return text.normalize("NFKC").toUpperCase();
}

/** Tells whether all `words` occur in a text, as parts of words too; without words every text fits. */
export function wordMatcher(words: readonly string[]): (text: string) => boolean {
  const wanted = words.map(fold);
  return (text) => {
    const folded = fold(text);
    return wanted.every((word) => folded.includes(word));
  };
}
