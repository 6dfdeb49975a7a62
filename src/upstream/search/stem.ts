/**
 * Takes endings off a lower-case word, so that `issues`, `creating` and `deletion` meet `issue`, `create` and `delete`.
 * What is left is no word, only the same for all of them. Light: it prefers to leave an ending on.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let rest = withoutPlural(word);
  rest = withoutVerbEnding(rest);
  if (rest.length > 5 && rest.endsWith("ion") && /[st]$/.test(rest.slice(0, -3))) {
    rest = rest.slice(0, -3);
  }
  if (rest.length > 3 && rest.endsWith("e")) rest = rest.slice(0, -1);
  return rest.length > 3 && rest.endsWith("y") ? `${rest.slice(0, -1)}i` : rest;
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  const base = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1];
  if (base === undefined || base.length < 3) return word;
  // running → run, but calling → call.
  return /([bdgkmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}
