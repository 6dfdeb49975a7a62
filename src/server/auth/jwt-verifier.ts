import type { JSONWebKeySet, JWTVerifyOptions, LocalJWKSet } from "jose";

import { systemCodeOf } from "../../base/errors.ts";
import {
  keySetFetchMsMax,
  keySetRetryMs,
  tokenClockToleranceMs,
  verifiedTokenMsMax,
  verifiedTokensMax,
} from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Principal, digestTokenAsText, readClaims } from "./principal.ts";
import {
  describeKeySetUrl,
  fetchKeySet,
  KeySetUnavailable,
  RemoteKeySet,
} from "./remote-key-set.ts";

interface Verified {
  readonly principal: Principal;
  readonly expiresAtWallMs: number;
  readonly untilMs: number;
}

/**
 * Signed tokens that were found good a moment ago, by their digest: a client sends the same one with each request.
 * Only good ones are kept, so strangers cannot fill it.
 */
export class VerifiedTokens {
  readonly #entries = new Map<string, Verified>();

  constructor(private readonly clock: Clock) {}

  get(digest: string): Principal | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    const { wallMs, monotonicMs } = this.#now();
    if (monotonicMs < entry.untilMs && wallMs < entry.expiresAtWallMs) return entry.principal;
    this.#entries.delete(digest);
    return undefined;
  }

  /** @param expiresAtWallMs `exp` of the token in milliseconds */
  add(digest: string, principal: Principal, expiresAtWallMs: number): void {
    const untilMs = this.clock.monotonicMs() + verifiedTokenMsMax;
    this.#entries.delete(digest);
    // A map keeps the order of adding, and all live equally long: the first is the oldest.
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= verifiedTokensMax && oldest !== undefined)
      this.#entries.delete(oldest);
    this.#entries.set(digest, { principal, expiresAtWallMs, untilMs });
  }

  #now(): { wallMs: number; monotonicMs: number } {
    return { wallMs: this.clock.wallMs(), monotonicMs: this.clock.monotonicMs() };
  }
}

export type TokenCheck =
  | { readonly kind: "accepted"; readonly principal: Principal }
  /** `reason` completes "The token is refused: "; a fixed text. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** The keys are not available: not the client's fault, worth another try after this. */
  | { readonly kind: "unavailable"; readonly retryAfterMs: number };

export interface JwtVerifierOptions {
  /** `iss` of every token, exactly. */
  readonly issuer: string;
  /** The claim that has the groups of the principal; `groups` unless told otherwise. */
  readonly groupsClaim?: string | undefined;
  /** `aud` of a token holds one of these, exactly: what this server is called there. */
  readonly audiences: readonly string[];
  /** The URL as `parseKeySetUrl` gives it. */
  readonly keySetUrl: URL;
  readonly warn: (message: string) => void;
  readonly clock?: Clock;
  /** Time to get the keys. */
  readonly fetchMsMax?: number;
}

const defaultGroupsClaim = "groups";

/**
 * Asymmetric ones only: with a shared secret among them, the public key would serve as that secret (RFC 8725
 * section 2.1), and "none" signs nothing.
 */
const algorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA"];

/** Checks signed tokens (JWT, RFC 9068). jose is loaded with the first one. */
export class JwtVerifier {
  readonly #verified: VerifiedTokens;
  readonly #keys: RemoteKeySet;
  readonly #clock: Clock;
  /** The tokens of principals, for those who trade them; none otherwise. */
  readonly #tokens = new WeakMap<Principal, string>();
  /** Whether anybody trades tokens; set by `keepTokens`. */
  #keepsTokens: () => boolean = () => false;
  /** When the token ends that a principal was found by: its `exp` in milliseconds. */
  readonly #endsAtWallMs = new WeakMap<Principal, number>();

  constructor(private readonly options: JwtVerifierOptions) {
    const { keySetUrl, warn, clock = systemClock, fetchMsMax = keySetFetchMsMax } = options;
    this.#clock = clock;
    this.#verified = new VerifiedTokens(clock);
    this.#keys = new RemoteKeySet({
      load: () => loadKeySet(keySetUrl, fetchMsMax),
      place: describeKeySetUrl(keySetUrl),
      clock,
      warn,
    });
  }

  /** A promise unless the token was found good within the last minute. Never throws or rejects. */
  check(token: string): TokenCheck | Promise<TokenCheck> {
    const digest = digestTokenAsText(token);
    const principal = this.#verified.get(digest);
    if (principal === undefined) {
      return this.#verify(token, digest).then((check) => {
        if (check.kind === "accepted") this.#keep(check.principal, token);
        return check;
      });
    }
    this.#keep(principal, token);
    return { kind: "accepted", principal };
  }

  /** From now on `tokenOf` has the tokens of principals while `isWanted` is true. */
  keepTokens(isWanted: () => boolean): void {
    this.#keepsTokens = isWanted;
  }

  /** The token by which a principal was found; undefined while they are not kept. */
  tokenOf(principal: Principal): string | undefined {
    return this.#tokens.get(principal);
  }

  #keep(principal: Principal, token: string): void {
    if (this.#keepsTokens()) this.#tokens.set(principal, token);
  }

  /** Whether the token of `principal` would be refused now for its age; undefined when this verifier did not accept it. */
  isExpired(principal: Principal): boolean | undefined {
    const endsAtWallMs = this.#endsAtWallMs.get(principal);
    if (endsAtWallMs === undefined) return undefined;
    return this.#clock.wallMs() >= endsAtWallMs + tokenClockToleranceMs;
  }

  async #verify(token: string, digest: string): Promise<TokenCheck> {
    try {
      const { jwtVerify } = await import("jose/jwt/verify");
      const { payload, protectedHeader } = await jwtVerify(
        token,
        (header, input) => this.#keys.find(header, input),
        this.#rules(),
      );
      const { issuer, groupsClaim = defaultGroupsClaim } = this.options;
      const reading = readClaims({ issuer, groupsClaim }, payload, protectedHeader);
      if (reading.kind === "rejected") return reading;
      const endsAtWallMs = (payload.exp ?? 0) * 1000;
      this.#verified.add(digest, reading.principal, endsAtWallMs);
      this.#endsAtWallMs.set(reading.principal, endsAtWallMs);
      return { kind: "accepted", principal: reading.principal };
    } catch (error) {
      if (error instanceof KeySetUnavailable)
        return { kind: "unavailable", retryAfterMs: keySetRetryMs };
      return { kind: "rejected", reason: rejectionReason(error) };
    }
  }

  #rules(): JWTVerifyOptions {
    return {
      issuer: this.options.issuer,
      audience: [...this.options.audiences],
      algorithms,
      requiredClaims: ["exp"],
      clockTolerance: tokenClockToleranceMs / 1000,
      currentDate: new Date(this.#clock.wallMs()),
    };
  }
}

/** A set without keys is taken as a fault of the server, not as the withdrawal of all of them. */
async function loadKeySet(url: URL, timeoutMs: number): Promise<LocalJWKSet> {
  const { createLocalJWKSet } = await import("jose/jwks/local");
  const document = await fetchKeySet(url, timeoutMs);
  if (!isKeySet(document)) throw new Error("JSON Web Key Set malformed");
  const set = createLocalJWKSet(document);
  if (set.jwks().keys.length === 0) throw new Error("it has no keys");
  return set;
}

function isKeySet(document: unknown): document is JSONWebKeySet {
  return isObject(document) && Array.isArray(document.keys) && document.keys.every(isObject);
}

/** Sentences of jose hold names of claims only, but its errors carry the whole payload: only their codes are used. */
const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: "it has expired",
  ERR_JWS_INVALID: "it is not a signed JWT",
  ERR_JWT_INVALID: "it is not a signed JWT",
  ERR_JOSE_ALG_NOT_ALLOWED: "its algorithm is not accepted",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "its signature is wrong",
  ERR_JWKS_NO_MATCHING_KEY: "its key is not one of the authorization server",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "it does not say which key signed it",
};

const claimReasons: Readonly<Record<string, string>> = {
  iss: "it is from another issuer",
  aud: "it is for another audience",
  nbf: "it is not valid yet",
  exp: "it does not say when it expires",
};

/** Why jose rejected a token, as the rest of "The token is refused: ". A fixed text, whatever was sent. */
function rejectionReason(error: unknown): string {
  const code = systemCodeOf(error) ?? "";
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED")
    return claimReasons[claimOf(error)] ?? "one of its claims is wrong";
  return reasons[code] ?? "it cannot be checked";
}

function claimOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("claim" in error)) return "";
  return typeof error.claim === "string" ? error.claim : "";
}
