/** The content of a `WWW-Authenticate: Bearer` header. */
export interface Challenge {
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
export function encodeChallenge(challenge: Challenge): string {
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
