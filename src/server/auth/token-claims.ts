import type { JWTPayload } from "jose";

import { tokenSubjectCharsMax } from "../../base/limits.ts";
import type { Principal } from "./principal.ts";
import { splitScopes } from "./tool-scopes.ts";

export type ClaimsReading =
  | { readonly kind: "principal"; readonly principal: Principal }
  | { readonly kind: "rejected"; readonly reason: string };

/** Types of JWT that can be access tokens (RFC 9068 section 2.1); many servers write `JWT` or nothing. */
const accessTokenTypes: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt"]);

/**
 * Whom the claims of a verified token stand for.
 * @param issuer the configured one, which the token was checked against
 */
export function readClaims(
  issuer: string,
  payload: JWTPayload,
  { typ }: { readonly typ?: unknown },
): ClaimsReading {
  if (typ !== undefined && !isAccessTokenType(typ))
    return { kind: "rejected", reason: "it is a JWT of another kind than an access token" };
  // Bound to a key of the client: accepted as a bearer token, it would serve whoever stole it.
  if (payload["cnf"] !== undefined)
    return {
      kind: "rejected",
      reason: "it is bound to a key, and only bearer tokens are accepted",
    };
  const id = principalIdOf(issuer, payload);
  if (id === undefined) return { kind: "rejected", reason: "it names neither subject nor client" };
  return { kind: "principal", principal: { id, scopes: scopesOf(payload) } };
}

function isAccessTokenType(typ: unknown): boolean {
  return typeof typ === "string" && accessTokenTypes.has(typ.toLowerCase());
}

/** Subjects and clients have different prefixes: a user may be called like a client. */
function principalIdOf(issuer: string, payload: JWTPayload): string | undefined {
  const { sub, client_id: clientId } = payload;
  if (sub !== undefined) return isName(sub) ? `jwt:${issuer}|${sub}` : undefined;
  return isName(clientId) ? `jwt-client:${issuer}|${clientId}` : undefined;
}

/** Goes to logs: without control characters. */
function isName(value: unknown): value is string {
  return (
    typeof value === "string" && /^\P{C}+$/u.test(value) && value.length <= tokenSubjectCharsMax
  );
}

/** `scope` (RFC 8693 section 4.2) and `scp`, each a text or an array. None: no scopes, not all of them. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const texts = [scope, scp].flat().filter((value) => typeof value === "string");
  return new Set(texts.flatMap(splitScopes));
}

/**
 * SHA-256 of a token, 32 bytes. What is kept and compared is this: all digests have one length, a difference in
 * the time of comparing tells nothing about the token, and memory holds no tokens. About 0.7 µs.
 */
export function digestToken(token: string): Uint8Array {
  const digest = new Uint8Array(32);
  Bun.SHA256.hash(token, digest);
  return digest;
}

/** The same as text, as key of a map. */
export function digestTokenAsText(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}
