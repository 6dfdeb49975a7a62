import { bearerTokenCharsMax } from "../../base/limits.ts";
import { product } from "../../base/product.ts";
import { createFault, encodeError, errorCodes } from "../../protocol/json-rpc.ts";
import type { JwtVerifier, TokenCheck } from "./jwt-verifier.ts";
import { localPrincipal, type Principal, type TokenState } from "./principal.ts";
import type { StaticTokens } from "./static-tokens.ts";
import type { StoredTokens } from "./stored-tokens.ts";

/** The complete HTTP answer to a request that may not pass. */
export interface AuthorizationRefusal {
  readonly kind: "refused";
  readonly status: 400 | 401 | 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON-RPC error without id: the request was not looked at. */
  readonly body: string;
  /** For the log alone: whose token it was, and why it does not count any more. */
  readonly log?: { readonly owner: string; readonly reason: string };
}

/** @param message what happened and what to do next; never anything that the request sent */
export function createRefusal(
  status: AuthorizationRefusal["status"],
  message: string,
  headers: Readonly<Record<string, string>> = {},
): AuthorizationRefusal {
  const code = status === 503 ? errorCodes.internalError : errorCodes.invalidRequest;
  return {
    kind: "refused",
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: encodeError(undefined, createFault(code, message)),
  };
}

/** The content of an `Authorization` header. */
type BearerHeader =
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

/** The content of a `WWW-Authenticate: Bearer` header. */
interface Challenge {
  readonly realm: string;
  /** Where the metadata of RFC 9728 is; undefined when no authorization server is configured. */
  readonly resourceMetadataUrl?: string | undefined;
  /** The scopes that the request needs; none: unknown. */
  readonly scopes?: readonly string[] | undefined;
  /** Left out when the request had no token (RFC 6750 section 3.1). */
  readonly error?: "invalid_request" | "invalid_token" | "insufficient_scope";
  /** Fixed ASCII texts; never a part of the token. */
  readonly description?: string;
}

/** The value of the header, in one line (RFC 6750 section 3, RFC 9728 section 5.1). */
function encodeChallenge(challenge: Challenge): string {
  const { realm, resourceMetadataUrl, scopes = [], error, description } = challenge;
  const parameters = [
    ["realm", realm],
    ["resource_metadata", resourceMetadataUrl],
    ["scope", scopes.length === 0 ? undefined : scopes.join(" ")],
    ["error", error],
    ["error_description", description],
  ] as const;
  const texts = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, "'")}"`],
  );
  return `Bearer ${texts.join(", ")}`;
}

export type Authorization =
  { readonly kind: "ok"; readonly principal: Principal } | AuthorizationRefusal;

/** The parts of a request that authorization needs; a `Request` fits. */
export interface IncomingRequest {
  readonly url: string;
  /** `get` joins several headers of one name by commas, as `Headers` does. */
  readonly headers: { get(name: string): string | null };
}

/** Decides which requests are authorized. */
export type Access =
  /** Everybody who reaches us: only for the loopback interface, where `compose/http/entrance.ts` looks at who it is. */
  { readonly kind: "open" } | ProtectedAccess;

export interface ProtectedAccess {
  readonly kind: "protected";
  /** The operator's own tokens, which are looked at first. */
  readonly tokens?: StaticTokens | undefined;
  /** The tokens that scorpiox-code has made. */
  readonly stored?: StoredTokens | undefined;
  readonly jwt?: JwtVerifier | undefined;
  /** The URL in a challenge when there is an authorization server. */
  readonly resourceMetadataUrl?: string | undefined;
  /** The scopes that a client should ask for at first; none: the challenge does not say. */
  readonly scopes?: readonly string[] | undefined;
  /** Where the user finds the token that the server has made itself. */
  readonly tokenPlace?: string | undefined;
}

const sendHeader = 'send "Authorization: Bearer <token>"';
const queryText = `Tokens in the URL are not accepted, because URLs are logged: ${sendHeader}.`;

/** Decides who a request speaks for (2026-07-28 authorization, Access Token Usage and Error Handling). */
export class Authorizer {
  readonly #missing: AuthorizationRefusal;
  readonly #inQuery: AuthorizationRefusal;

  constructor(private readonly access: Access) {
    const missing = { "www-authenticate": this.#challenge({ scopes: this.#firstScopes() }) };
    this.#missing = createRefusal(
      401,
      `A token is needed: ${sendHeader}.${this.#whereText()}`,
      missing,
    );
    this.#inQuery = createRefusal(401, queryText, missing);
  }

  /**
   * A promise only while a signed token is seen for the first time in a minute; everything else is decided
   * at once. Never throws or rejects, and nothing that the request sent is in the answer.
   */
  authorize(request: IncomingRequest): Authorization | Promise<Authorization> {
    const isInQuery = hasTokenInQuery(request.url);
    if (this.access.kind === "open")
      return isInQuery ? createRefusal(400, queryText) : { kind: "ok", principal: localPrincipal };
    const header = parseBearerHeader(request.headers.get("authorization"));
    if (header.kind === "absent") return isInQuery ? this.#inQuery : this.#missing;
    if (isInQuery) return this.#malformed(queryText);
    if (header.kind === "malformed")
      return this.#malformed(
        `The Authorization header does not hold one bearer token of at most ${bearerTokenCharsMax} characters.`,
      );
    return this.#check(header.token, this.access);
  }

  /** How many may come in: with signed tokens nobody knows, and so several. Undefined: the user of this machine. */
  get principals(): "one" | "several" | undefined {
    return this.principalsWith();
  }

  /** As `principals`, and counts the principal with this id, which another replica has let in. */
  principalsWith(id?: string): "one" | "several" | undefined {
    if (this.access.kind === "open") return undefined;
    const { tokens, stored, jwt } = this.access;
    if (jwt !== undefined) return "several";
    const ids = new Set([...(tokens?.principalIds ?? []), ...(stored?.principalIds ?? [])]);
    if (id !== undefined) ids.add(id);
    return ids.size > 1 ? "several" : "one";
  }

  /** The current state of the token of `principal`, an answer of `authorize`. */
  tokenStateOf(principal: Principal): TokenState {
    if (this.access.kind === "open") return "valid";
    const { tokens, stored, jwt } = this.access;
    if (tokens?.includes(principal) === true) return "valid";
    const state = stored?.stateOf(principal);
    if (state !== undefined) return state;
    const isExpired = jwt?.isExpired(principal);
    if (isExpired === undefined) return "withdrawn";
    return isExpired ? "expired" : "valid";
  }

  /**
   * The state of the tokens of a principal whose request arrived at another replica, which knows by which of them it was found.
   * One that was never known here, such as a signed token, is valid: that replica looks at it.
   */
  stateOfRelayed({ id }: Principal): TokenState {
    if (this.access.kind === "open") return "valid";
    const { tokens, stored } = this.access;
    if (tokens?.hasTokenOf(id) === true) return "valid";
    const state = stored?.stateOfId(id);
    if (state !== undefined) return state;
    return tokens?.principalIds.has(id) === true ? "withdrawn" : "valid";
  }

  /** `tokenOf` has signed tokens while `isWanted` is true: an upstream server trades them. */
  keepTokens(isWanted: () => boolean): void {
    if (this.access.kind === "protected") this.access.jwt?.keepTokens(isWanted);
  }

  /** The signed token by which a principal was found; undefined for another kind, and while they are not kept. */
  tokenOf(principal: Principal): string | undefined {
    return this.access.kind === "open" ? undefined : this.access.jwt?.tokenOf(principal);
  }

  /** The answer to a request whose token is in order but lacks scopes: name all that the request needs. */
  insufficientScope(scopes: readonly string[]): AuthorizationRefusal {
    const text = `The token does not allow this. Needed scopes: ${scopes.join(" ")}`;
    const challenge = this.#challenge({ scopes, error: "insufficient_scope", description: text });
    return createRefusal(403, `${text}.`, { "www-authenticate": challenge });
  }

  #check(token: string, access: ProtectedAccess): Authorization | Promise<Authorization> {
    const { tokens, stored, jwt } = access;
    const principal = tokens?.find(token);
    if (principal !== undefined) return { kind: "ok", principal };
    const found = stored?.find(token);
    if (found?.kind === "accepted") return { kind: "ok", principal: found.principal };
    if (found?.kind === "ended") {
      const { reason, principal: holder } = found;
      return { ...this.#unknown(access), log: { owner: holder.id, reason } };
    }
    const check = jwt?.check(token);
    if (check === undefined) return this.#unknown(access);
    return check instanceof Promise
      ? check.then((done) => this.#answerTo(done))
      : this.#answerTo(check);
  }

  /** The refusal of a token that was never known, and of one that has ended, in the same words: only the log tells them apart. */
  #unknown({ stored }: ProtectedAccess): AuthorizationRefusal {
    const isEnded = stored === undefined ? "" : ", or has ended";
    return this.#invalid(`The token is refused: it is not known here${isEnded}`);
  }

  #answerTo(check: TokenCheck): Authorization {
    switch (check.kind) {
      case "accepted":
        return { kind: "ok", principal: check.principal };
      case "rejected":
        return this.#invalid(`The token is refused: ${check.reason}`);
      case "unavailable":
        return createRefusal(
          503,
          "The token cannot be checked now: the keys of the authorization server are not available. Try again later.",
          { "retry-after": String(Math.ceil(check.retryAfterMs / 1000)) },
        );
    }
  }

  #invalid(description: string): AuthorizationRefusal {
    const scopes = this.#firstScopes();
    const challenge = this.#challenge({ scopes, error: "invalid_token", description });
    const text = `${description}.${this.#whereText()}`;
    return createRefusal(401, text, { "www-authenticate": challenge });
  }

  #whereText(): string {
    const place = this.access.kind === "protected" ? this.access.tokenPlace : undefined;
    return place === undefined ? "" : ` On the machine of the server it is in ${place}.`;
  }

  #malformed(description: string): AuthorizationRefusal {
    const challenge = this.#challenge({ error: "invalid_request", description });
    return createRefusal(400, description, { "www-authenticate": challenge });
  }

  #firstScopes(): readonly string[] | undefined {
    return this.access.kind === "protected" ? this.access.scopes : undefined;
  }

  #challenge(parts: Omit<Challenge, "realm" | "resourceMetadataUrl">): string {
    const { access } = this;
    const resourceMetadataUrl =
      access.kind === "protected" ? access.resourceMetadataUrl : undefined;
    return encodeChallenge({ realm: product.name, resourceMetadataUrl, ...parts });
  }
}
