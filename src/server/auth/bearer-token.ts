import { bearerTokenCharsMax } from "../../base/limits.ts";

/** The content of an `Authorization` header. */
export type BearerHeader =
  | { readonly kind: "token"; readonly token: string }
  /** No header, an empty one, or another scheme. */
  | { readonly kind: "absent" }
  /** A bearer token is meant, but it is not one token that we could check. */
  | { readonly kind: "malformed" };

const absent: BearerHeader = { kind: "absent" };
const malformed: BearerHeader = { kind: "malformed" };

/** The scheme in any case, then one token (RFC 6750 section 2.1). */
const bearerExpression = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads the value of the `Authorization` header. Several headers arrive joined by commas, which no token
 * contains, so they are malformed.
 */
export function parseBearerHeader(value: string | null): BearerHeader {
  const text = value?.trim() ?? "";
  if (!/^bearer(?: |$)/i.test(text) || text.length === "bearer".length) return absent;
  const token = bearerExpression.exec(text)?.[1];
  if (token === undefined || token.length > bearerTokenCharsMax) return malformed;
  return { kind: "token", token };
}

const tokenParameters: ReadonlySet<string> = new Set(["access_token", "token"]);

/** Whether the query of a URL carries a token (authorization, Token Requirements: never there). */
export function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf("?");
  if (start === -1) return false;
  for (const name of new URLSearchParams(url.slice(start + 1)).keys())
    if (tokenParameters.has(name.toLowerCase())) return true;
  return false;
}
