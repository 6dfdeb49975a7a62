/** What takes the place of a secret. */
const mark = "[redacted]";

/** Tokens by their shape: of code hosts, clouds, model providers, chat; JWTs; keys in PEM. */
const tokenShapes =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|AKIA[A-Z\d]{16}|ASIA[A-Z\d]{16}|AIza[\w-]{30,}|ya29\.[\w-]+|npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}|(?<!-)eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Names that say that a value is a secret. */
const secretNames =
  /token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credentials?/i;

/** Between a name and its value: `NAME=value`, `--name value`, `"name": "value"`. */
const separator = /["']?(?:\s*[:=]\s*|\s+)/y;

/** In quotes, or as a shell puts parts together; quotes without end last to the end. */
const secretValue =
  /"(?:[^"\\]|\\[^])*(?:["\\]|$)|'[^']*(?:'|$)|[^\s"';&|](?:[^\s"'\\;&|]|\\[^]|"(?:[^"\\]|\\[^])*(?:["\\]|$)|'[^']*(?:'|$))*/y;

/** `Authorization: Bearer …`, `user:password@` in a URL, `-u user:password`. */
const carried =
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}|(:\/\/[^\s/:@]*:)[^\s/]+(?=@)|((?<=\s)(?:-u|--user)[ =]?["']?[^\s:"']{1,256}:)[^\s"']+/gi;

/** `text` without what looks like a secret, and without the secrets that are known. Linear in its length. */
export function redact(text: string, known: readonly string[]): string {
  let shown = text;
  for (const secret of known) shown = shown.replaceAll(secret, mark);
  shown = shown
    .replaceAll(tokenShapes, mark)
    .replaceAll(
      carried,
      (_whole, scheme?: string, user?: string, option?: string) =>
        `${scheme ?? user ?? option ?? ""}${mark}`,
    );
  return withoutNamed(shown);
}

/** Word by word: one expression for a name and its value takes minutes for a long word. */
function withoutNamed(text: string): string {
  const words = /[\w-]+/g;
  let shown = "";
  let shownTo = 0;
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    if (!secretNames.test(word[0])) continue;
    const from = endOfMatch(separator, text, words.lastIndex);
    const to = from === undefined ? undefined : endOfMatch(secretValue, text, from);
    if (to === undefined) continue;
    shown += text.slice(shownTo, from) + mark;
    shownTo = to;
    words.lastIndex = to;
  }
  return shown + text.slice(shownTo);
}

/** Where the match of a sticky expression at this place ends. */
function endOfMatch(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : undefined;
}

/** Values of the environment whose names say that they are secrets; short ones would be found everywhere. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const isSecret = /token|secret|passw|passphrase|api_?key|access_?key|private_?key|credential/i;
  return (
    Object.entries(env)
      .flatMap(([name, value]) =>
        isSecret.test(name) && value !== undefined && value.length >= secretCharsMin ? [value] : [],
      )
      // One may be a part of another.
      .sort((one, other) => other.length - one.length)
  );
}

const secretCharsMin = 8;
