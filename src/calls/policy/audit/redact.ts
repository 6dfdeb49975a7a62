import { hideInText } from "../../../base/hide-secrets.ts";
import { saysSecret } from "../../../base/secret-table.ts";

/** What takes the place of a secret. */
const mark = "[redacted]";

/** `text` without what looks like a secret, and without the secrets that are known. Linear in its length. */
export function redact(text: string, known: readonly string[]): string {
  let shown = text;
  for (const secret of known) shown = shown.replaceAll(secret, mark);
  return hideInText(shown, () => mark);
}

/** Values of the environment whose names say that they are secrets; short ones would be found everywhere. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (
    Object.entries(env)
      .flatMap(([name, value]) =>
        saysSecret(name) && value !== undefined && value.length >= secretCharsMin ? [value] : [],
      )
      // One may be a part of another.
      .sort((one, other) => other.length - one.length)
  );
}

const secretCharsMin = 8;
