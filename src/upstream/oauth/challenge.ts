/** What a server says of the login that it wants, in `WWW-Authenticate`. */
export interface Challenge {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
}

/** Longer ones are made to be a burden. */
const headerCharsMax = 8_192;

/** The parameters of the `Bearer` challenge; empty when there is none. Never throws. */
export function readChallenge(header: string | null): Challenge {
  const [, rest] =
    /(?:^|,)\s*bearer(?:\s+(.*))?$/is.exec((header ?? "").slice(0, headerCharsMax)) ?? [];
  const found = new Map<string, string>();
  const parameter = /\s*,?\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gy;
  for (const [, name = "", quoted, plain] of (rest ?? "").matchAll(parameter)) {
    const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "";
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
  }
  const resourceMetadata = found.get("resource_metadata");
  const scope = found.get("scope");
  const error = found.get("error");
  return {
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scope === undefined || !isScope(scope) ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Scopes of two lists, each once, in order. Undefined: none. */
export function joinScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = lists.flatMap((list) => list?.split(" ") ?? []).filter((scope) => scope !== "");
  return scopes.length === 0 ? undefined : [...new Set(scopes)].join(" ");
}

/** As RFC 6749 has it: printable, and no quotes. */
function isScope(text: string): boolean {
  return text.length <= 4_096 && /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text);
}
