import type { JWTPayload } from "jose";

import { tokenGroupsMax, tokenSubjectCharsMax } from "../../base/limits.ts";
import type { Person } from "../../base/person.ts";
import { isObject } from "../../base/values.ts";

/** The identity behind a request. Sessions, background tasks and cursors belong to one `id`. */
export interface Principal extends Person {
  /**
   * `token:<label>`, `jwt:<issuer>|<sub>`, `jwt-client:<issuer>|<client_id>` or `local`.
   * Never a token or a part of one, so it may be logged and compared.
   */
  readonly id: string;
  /** Its scopes; undefined: everything. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** The upstream servers that it sees and may use; absent: all. */
  readonly servers?: ReadonlySet<string>;
}

/** The principal of an open server on the loopback interface: the user of this machine. */
export const localPrincipal: Principal = { id: "local", scopes: undefined };

/** The rights of a principal as a text, which principals with equal rights have in common. */
export function rightsOf({ scopes, servers, ...principal }: Principal): string {
  const sorted = [scopes, servers].map((set) => set && [...set].toSorted());
  return JSON.stringify([principal, ...sorted.map((list) => list ?? null)]);
}

/**
 * The current state of a request's token. Sessions and streams outlast the request that opened them, so it is checked again
 * while they are open.
 */
export type TokenState =
  | "valid"
  /** Its time is over: its holder may come back with a new one. */
  | "expired"
  /** It is missing: what it opened is to end, unless it comes back at once, as when an editor rewrites a file. */
  | "withdrawn"
  /** It was taken back: what it opened is to end now. */
  | "revoked";

/** How claims are read. */
export interface ClaimRules {
  /** The configured one, which the token was checked against. */
  readonly issuer: string;
  /** The name of the claim that has the groups. */
  readonly groupsClaim: string;
}

export type ClaimsReading =
  | { readonly kind: "principal"; readonly principal: Principal }
  | { readonly kind: "rejected"; readonly reason: string };

/** Types of JWT that can be access tokens (RFC 9068 section 2.1); many servers write `JWT` or nothing. */
const accessTokenTypes: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt"]);

/**
 * Whom the claims of a verified token stand for.
 */
export function readClaims(
  { issuer, groupsClaim }: ClaimRules,
  payload: JWTPayload,
  { typ }: { readonly typ?: unknown },
): ClaimsReading {
  if (typ !== undefined && !isAccessTokenType(typ))
    return { kind: "rejected", reason: "it is a JWT of another kind than an access token" };
  // Bound to a key of the client: accepted as a bearer token, it would serve a thief.
  if (payload["cnf"] !== undefined)
    return {
      kind: "rejected",
      reason: "it is bound to a key, and only bearer tokens are accepted",
    };
  const id = principalIdOf(issuer, payload);
  if (id === undefined) return { kind: "rejected", reason: "it names neither subject nor client" };
  const { sub } = payload;
  const groups = groupsOf(payload, groupsClaim);
  const principal = {
    id,
    scopes: scopesOf(payload),
    issuer,
    ...(sub !== undefined && { sub }),
    ...(groups !== undefined && { groups }),
  };
  return { kind: "principal", principal };
}

/**
 * The groups that a token names, a text or a list of them; undefined: it names none. An authorization server that has too many for a
 * token says in `_claim_names` where they are (OpenID Connect Core 1.0, aggregated and distributed claims).
 */
function groupsOf(payload: JWTPayload, claim: string): Principal["groups"] {
  const elsewhere = payload["_claim_names"];
  if (isObject(elsewhere) && Object.hasOwn(elsewhere, claim)) return "unknown";
  if (!Object.hasOwn(payload, claim)) return undefined;
  const names = [payload[claim]].flat();
  return names.length <= tokenGroupsMax && names.every(isName) ? names : "unknown";
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

/** Whether `text` is one scope: visible ASCII without quotation mark and backslash (RFC 6749 section 3.3). */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}

/** The scopes in a text that separates them by blanks; drops invalid ones. */
function splitScopes(text: string): string[] {
  return text.split(" ").filter(isScope);
}

/**
 * SHA-256 of a token, 32 bytes. Only digests are kept and compared: all have one length, a difference in
 * the time of comparing tells nothing about the token, and memory holds no tokens. About 0.7 µs.
 */
export function digestToken(token: string): Uint8Array {
  const digest = new Uint8Array(32);
  Bun.SHA256.hash(token, digest);
  return digest;
}

/** The digest of a token as text: a key of maps. */
export function digestTokenAsText(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}
