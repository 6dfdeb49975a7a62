/** What takes the place of a secret. */
const mark = "[redacted]";

/** Tokens by their shape: of code hosts, clouds, model providers, chat; JWTs; keys in PEM. */
const tokenShapes =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|AKIA[A-Z\d]{16}|ASIA[A-Z\d]{16}|AIza[\w-]{30,}|ya29\.[\w-]+|npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** `NAME=value`, `--name value`, `"name": "value"` where the name says that it is a secret. */
const namedSecrets =
  /((?:[\w-]*(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[\w-]*)["']?\s*[:=\s]\s*)("[^"]*"|'[^']*'|[^\s"';&|]+)/gi;

/** `Authorization: Bearer …`, and `user:password@` in a URL. */
const carried = /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}|(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi;

/** `text` without what looks like a secret, and without the secrets that are known. Linear in its length. */
export function redact(text: string, known: readonly string[]): string {
  let shown = text;
  for (const secret of known) shown = shown.replaceAll(secret, mark);
  return shown
    .replaceAll(tokenShapes, mark)
    .replaceAll(
      carried,
      (_whole, scheme?: string, user?: string) => `${scheme ?? user ?? ""}${mark}`,
    )
    .replaceAll(namedSecrets, `$1${mark}`);
}

/** Values of the environment whose names say that they are secrets; short ones would be found everywhere. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const isSecret = /token|secret|passw|passphrase|api_?key|access_?key|private_?key|credential/i;
  return Object.entries(env).flatMap(([name, value]) =>
    isSecret.test(name) && value !== undefined && value.length >= secretCharsMin ? [value] : [],
  );
}

const secretCharsMin = 8;
