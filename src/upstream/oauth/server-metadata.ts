import type { Params } from "../../protocol/json-rpc.ts";
import { allowedUrl, refusal, shown } from "./oauth-reach.ts";

/** How a client proves at the token endpoint that it is the one. */
export type AuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** What is known of an authorization server; all addresses are safe ones as they are written. */
export interface ServerMetadata {
  readonly issuer: string;
  /** Absent: no person logs in there. */
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  readonly scopesSupported: readonly string[];
  /** Undefined: not said. */
  readonly authMethods?: readonly string[];
  readonly takesClientDocuments: boolean;
  /** Its answers name it, as RFC 9207 has it. */
  readonly namesIssuer: boolean;
  /** PKCE with S256 is announced. */
  readonly hasPkce: boolean;
}

/** Of one that a person can log in at. */
export type LoginMetadata = ServerMetadata & { readonly authorizationEndpoint: string };

/**
 * Reads the metadata of the authorization server `issuer` (RFC 8414, OpenID discovery).
 * @throws AppError `refused` when it is another one's, or has an address that is not allowed
 */
export function readServerMetadata(document: Params, issuer: string): ServerMetadata {
  const named = document.issuer;
  if (typeof named !== "string" || !isSameIssuer(named, issuer)) {
    throw refusal(
      `The authorization server ${shown(issuer)} says that it is ${shown(String(named))}. It is not used.`,
    );
  }
  const endpoint = (name: string): string | undefined =>
    (document[name] ?? undefined) === undefined ? undefined : safeEndpoint(document[name], name);
  const authorizationEndpoint = endpoint("authorization_endpoint");
  const registrationEndpoint = endpoint("registration_endpoint");
  const revocationEndpoint = endpoint("revocation_endpoint");
  const methods = document.token_endpoint_auth_methods_supported;
  return {
    issuer: named,
    ...(authorizationEndpoint === undefined ? {} : { authorizationEndpoint }),
    tokenEndpoint: safeEndpoint(document.token_endpoint, "token_endpoint"),
    ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    scopesSupported: list(document.scopes_supported),
    ...(methods === undefined ? {} : { authMethods: list(methods) }),
    takesClientDocuments: document.client_id_metadata_document_supported === true,
    namesIssuer: document.authorization_response_iss_parameter_supported === true,
    hasPkce: list(document.code_challenge_methods_supported).includes("S256"),
  };
}

/**
 * What a person needs for a login there.
 * @throws AppError `refused` where there is no page for that, or no PKCE
 */
export function forPersons(metadata: ServerMetadata): LoginMetadata {
  const { issuer, authorizationEndpoint, hasPkce } = metadata;
  if (!hasPkce) {
    throw refusal(
      `The authorization server ${shown(issuer)} does not announce PKCE with S256, without which a login can be stolen. It is not used.`,
    );
  }
  if (authorizationEndpoint === undefined) {
    throw refusal(
      `The authorization server ${shown(issuer)} has no page for a login. Where it gives tokens to a program by itself, say so in the entry: oauth = { grant = "client_credentials", client_id = "…", … }.`,
    );
  }
  return { ...metadata, authorizationEndpoint };
}

/** The texts in a list, if it is one. */
export function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/**
 * Openers of browsers are programs of many kinds, and some are scripts: an endpoint with characters of a shell, which
 * no real one has, is not handed to them.
 */
function safeEndpoint(value: unknown, name: string): string {
  const what = `The ${name} of the authorization server`;
  const { href } = allowedUrl(value, what);
  if (typeof value !== "string" || /[\s"'`<>\\|^{}$();\p{C}]/u.test(value)) {
    throw refusal(`${what} has characters that no address needs: ${shown(String(value))}.`);
  }
  return href;
}

/** Texts, not addresses, as both standards have it; the slash of an empty path alone is no difference. */
export function isSameIssuer(one: string, other: string): boolean {
  return (
    one === other ||
    [one, other].some((each) => isRoot(each) && `${each}/` === (each === one ? other : one))
  );
}

/** A client is one of the authorization server that it was made for. @throws AppError `refused` */
export function assertIssuer({ issuer }: ServerMetadata, expected: string): void {
  if (isSameIssuer(issuer, expected)) return;
  throw refusal(
    `The server wants a login at ${shown(issuer)}, and its client is one of ${shown(expected)}. It is sent nowhere else: write the right issuer into the oauth table of the entry.`,
  );
}

function isRoot(issuer: string): boolean {
  return URL.parse(issuer)?.origin === issuer;
}
