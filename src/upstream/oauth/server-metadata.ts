import type { Params } from "../../protocol/json-rpc.ts";
import { allowedUrl, refusal, shown } from "./oauth-reach.ts";

/** How a client authenticates at the token endpoint. */
export type AuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** The metadata of an authorization server; the texts of all addresses are checked. */
export interface ServerMetadata {
  readonly issuer: string;
  /** Absent where no person can log in. */
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  readonly scopesSupported: readonly string[];
  /** Undefined when not announced. */
  readonly authMethods?: readonly string[];
  readonly takesClientDocuments: boolean;
  /** Its answers contain its issuer (RFC 9207). */
  readonly namesIssuer: boolean;
  /** It announces PKCE with S256. */
  readonly hasPkce: boolean;
}

/** Metadata of a server at which a person can log in. */
export type LoginMetadata = ServerMetadata & { readonly authorizationEndpoint: string };

/**
 * Reads the metadata of the authorization server `issuer` (RFC 8414, OpenID discovery).
 * @throws AppError `refused` when it belongs to another issuer, or has an address that is not allowed
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

/** The metadata for a person's login. @throws AppError `refused` without a login page or PKCE */
export function forPersons(metadata: ServerMetadata): LoginMetadata {
  const { issuer, authorizationEndpoint, hasPkce } = metadata;
  if (!hasPkce) {
    throw refusal(
      `The authorization server ${shown(issuer)} does not announce PKCE with S256, without which a login can be stolen. The login was aborted.`,
    );
  }
  if (authorizationEndpoint === undefined) {
    throw refusal(
      `The authorization server ${shown(issuer)} has no page for a login. If it gives tokens to programs, say so in the entry: oauth = { grant = "client_credentials", client_id = "…", … }.`,
    );
  }
  return { ...metadata, authorizationEndpoint };
}

/** The strings in `value` when it is a list. */
export function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/**
 * Checks an endpoint. Programs that open browsers may be shell scripts, so an endpoint with characters of a shell,
 * which no real one has, is refused.
 */
function safeEndpoint(value: unknown, name: string): string {
  const what = `The ${name} of the authorization server`;
  const { href } = allowedUrl(value, what);
  if (typeof value !== "string" || /[\s"'`<>\\|^{}$();\p{C}]/u.test(value)) {
    throw refusal(`${what} has characters that no address needs: ${shown(String(value))}.`);
  }
  return href;
}

/** Compares texts, not addresses, as both standards demand; ignores only the slash of an empty path. */
export function isSameIssuer(one: string, other: string): boolean {
  return (
    one === other ||
    [one, other].some((each) => isRoot(each) && `${each}/` === (each === one ? other : one))
  );
}

/** A client belongs to one authorization server. @throws AppError `refused` */
export function assertIssuer({ issuer }: ServerMetadata, expected: string): void {
  if (isSameIssuer(issuer, expected)) return;
  throw refusal(
    `The server wants a login at ${shown(issuer)}, but its client belongs to ${shown(expected)} and is not sent elsewhere. Write the right issuer into the oauth table of the entry.`,
  );
}

function isRoot(issuer: string): boolean {
  return URL.parse(issuer)?.origin === issuer;
}
