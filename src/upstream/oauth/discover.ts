import type { Params } from "../../protocol/json-rpc.ts";
import { allowedUrl, refusal, shown } from "./oauth-reach.ts";
import type { OauthReply, OauthRequests } from "./oauth-requests.ts";

/** The facts that a login needs. */
export interface Discovery {
  /** The resource of the tokens: the server's address, or one above it. */
  readonly resource: string;
  readonly metadata: ServerMetadata;
  /** Scopes of the challenge, else of the resource's metadata; undefined when neither names any. */
  readonly scope?: string;
}

/**
 * Finds the authorization server of an MCP server (OA1).
 * @param known the challenge that a running connection got @throws AppError `refused` when parts do not match;
 * OauthUnreachable
 */
export async function discover(
  serverUrl: string,
  known: Challenge,
  requests: OauthRequests,
): Promise<Discovery> {
  const url = new URL(serverUrl);
  const asked = await challengeOf(url, requests);
  const scope = joinScopes(asked.scope, known.scope);
  const address = asked.resourceMetadata ?? known.resourceMetadata;
  const found = await resourceMetadata(url, address, requests);
  if (found === undefined) {
    // Servers of 2025-03-26 are their own authorization servers.
    const metadata = await serverMetadata(url.origin, requests);
    return { resource: url.href, metadata, ...(scope === undefined ? {} : { scope }) };
  }
  const metadata = await serverMetadata(found.issuer, requests);
  const wanted = scope ?? joinScopes(...found.scopes);
  return { resource: found.resource, metadata, ...(wanted === undefined ? {} : { scope: wanted }) };
}

/** Sends a request without a token to get the server's challenge. */
async function challengeOf(url: URL, requests: OauthRequests): Promise<Challenge> {
  const clientInfo = { name: "scorpiox-code", version: "0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const body = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  const headers = { accept: "application/json, text/event-stream" };
  const reply = await requests.post(url.href, body, headers, "The server");
  return reply.status === 401 ? readChallenge(reply.headers.get("www-authenticate")) : {};
}

interface ResourceMetadata {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** Reads the metadata of RFC 9728; undefined when the server has none. */
async function resourceMetadata(
  url: URL,
  named: string | undefined,
  requests: OauthRequests,
): Promise<ResourceMetadata | undefined> {
  const wellKnown = `${url.origin}/.well-known/oauth-protected-resource`;
  const path = url.pathname === "/" ? "" : url.pathname;
  const places = named === undefined ? [...new Set([`${wellKnown}${path}`, wellKnown])] : [named];
  for (const place of places) {
    const reply = await requests.get(place, "The metadata of the server");
    if (reply.status === 200 && reply.body !== undefined) return readResource(reply, url);
  }
  if (named === undefined) return undefined;
  throw refusal(`The server names metadata that do not exist: ${shown(named)}.`);
}

function readResource({ body = {} }: OauthReply, url: URL): ResourceMetadata {
  const { resource } = body;
  if (typeof resource !== "string" || !covers(resource, url)) {
    throw refusal(
      `The metadata of ${url.href} are those of ${shown(String(resource))}: a login would be for another resource. It was aborted.`,
    );
  }
  const [issuer] = list(body.authorization_servers);
  if (issuer === undefined) {
    throw refusal(`The metadata of ${url.href} name no authorization server.`);
  }
  return { resource, issuer, scopes: list(body.scopes_supported) };
}

/** Whether `resource` is the same address, or one above it at the same server. */
export function covers(resource: string, url: URL): boolean {
  const above = URL.parse(resource);
  if (above === null || above.origin !== url.origin || above.hash !== "") return false;
  const path = above.pathname.endsWith("/") ? above.pathname : `${above.pathname}/`;
  const isSamePath = above.pathname === url.pathname;
  const isAbove = `${url.pathname}/`.startsWith(path);
  return above.search === "" ? isSamePath || isAbove : isSamePath && above.search === url.search;
}

/**
 * The metadata of an authorization server: RFC 8414, then OpenID discovery in both of its places.
 * @throws AppError `refused`, OauthUnreachable
 */
export async function serverMetadata(
  issuer: string,
  requests: OauthRequests,
): Promise<ServerMetadata> {
  const url = allowedUrl(issuer, "The authorization server");
  const path = url.pathname.replace(/\/$/, "");
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${url.origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const { status, body } = await requests.get(place, "The authorization server");
    if (status === 200 && body !== undefined) return readServerMetadata(body, issuer);
  }
  throw refusal(
    `${shown(issuer)} does not describe how to log in: none of ${places.join(", ")} exists.`,
  );
}

/** A server's demand for a login, from `WWW-Authenticate`. */
export interface Challenge {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
}

/** The most characters that are parsed; honest headers are shorter. */
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

/** Scopes of all lists, each once, in order; undefined without any. */
export function joinScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = lists.flatMap((list) => list?.split(" ") ?? []).filter((scope) => scope !== "");
  return scopes.length === 0 ? undefined : [...new Set(scopes)].join(" ");
}

/** The syntax of RFC 6749: printable, without quotes. */
function isScope(text: string): boolean {
  return text.length <= 4_096 && /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text);
}

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
  /** The grants that it announces; undefined: it does not say. */
  readonly grantTypes?: readonly string[];
}

/** Metadata of a server at which a person can log in. */
export type LoginMetadata = ServerMetadata & { readonly authorizationEndpoint: string };

/**
 * Reads the metadata of the authorization server `issuer` (RFC 8414, OpenID discovery).
 * @throws AppError `refused` when it belongs to another issuer, or has an address that is not allowed
 */
function readServerMetadata(document: Params, issuer: string): ServerMetadata {
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
  const grants = document.grant_types_supported;
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
    ...(grants === undefined ? {} : { grantTypes: list(grants) }),
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
function list(value: unknown): readonly string[] {
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
