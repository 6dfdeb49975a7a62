/**
 * The words of a text as a shell would see them: blanks separate, quotes and backslashes join. Nothing is expanded or run;
 * a quote that is not closed lasts to the end.
 * @param wordsMax words after these are not looked for
 */
export function splitWords(text: string, wordsMax = Infinity): string[] {
  const words: string[] = [];
  const word = /(?:[^\s"'\\]|\\[^]?|"(?:[^"\\]|\\[^]?)*(?:"|$)|'[^']*(?:'|$))+/g;
  for (const [written] of text.matchAll(word)) {
    words.push(withoutQuotes(written));
    if (words.length >= wordsMax) break;
  }
  return words;
}

function withoutQuotes(written: string): string {
  const part = /"((?:[^"\\]|\\[^]?)*)(?:"|$)|'([^']*)(?:'|$)|\\([^]?)|([^"'\\]+)/g;
  return written.replaceAll(
    part,
    (_, double?: string, single?: string, escaped?: string, plain?: string) =>
      double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "",
  );
}
