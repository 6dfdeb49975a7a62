import { systemCodeOf } from "../../base/errors.ts";

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
export function rejectionReason(error: unknown): string {
  const code = systemCodeOf(error) ?? "";
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED")
    return claimReasons[claimOf(error)] ?? "one of its claims is wrong";
  return reasons[code] ?? "it cannot be checked";
}

function claimOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("claim" in error)) return "";
  return typeof error.claim === "string" ? error.claim : "";
}
