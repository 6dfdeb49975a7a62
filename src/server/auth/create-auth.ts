import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { TokenStore } from "../../state/tokens/token-store.ts";
import { type Access, Authorizer, type ProtectedAccess } from "./authorizer.ts";
import type { StoredTokens } from "./stored-tokens.ts";
import { parseToolScopes, type ToolScopes } from "./tool-scopes.ts";

/** The operator's flags, as written. */
export interface AuthSettings {
  readonly tokenFile?: string | undefined;
  /** The tokens that scorpiox-code has made, for a server that accepts them. It is closed by the authorization. */
  readonly tokenStore?: TokenStore | undefined;
  /** Tell clients without a token that it is in the token file: the server has made it itself. */
  readonly tellsTokenFile?: boolean;
  /** Where the keys for signed tokens are; needs `issuer` and `resource`. */
  readonly keySetUrl?: string | undefined;
  readonly issuer?: string | undefined;
  /** The URL of our endpoint as clients write it. */
  readonly resource?: string | undefined;
  /** `aud` of our tokens, when it is not `resource`. */
  readonly audience?: string | undefined;
  /** The claim of signed tokens that has the groups of a principal. */
  readonly groupsClaim?: string | undefined;
  /** See `parseToolScopes`. */
  readonly toolScopes?: string | undefined;
}

/** All that the endpoint needs. */
export interface Auth {
  readonly authorizer: Authorizer;
  /** The made tokens; they write their last uses when they are closed. */
  readonly stored?: StoredTokens | undefined;
  readonly toolScopes: ToolScopes;
  /** To serve without authorization at these paths; undefined without an authorization server. */
  readonly metadata:
    { readonly paths: readonly string[]; readonly document: ProtectedResourceMetadata } | undefined;
}

/**
 * Builds authorization from the settings; without tokens and keys it is open, which `decideListening` allows on the
 * loopback interface only. Loads only the parts that are needed.
 * @throws AppError "usage", "config" or "system" with what to do next
 */
export async function createAuth(
  settings: AuthSettings,
  warn: (message: string) => void,
): Promise<Auth> {
  const toolScopes = parseToolScopes(settings.toolScopes ?? "");
  const signed = signedTokenSettings(settings);
  const tokens = await createStaticTokens(settings.tokenFile, warn);
  const jwt = signed && (await createJwtVerifier(signed, warn));
  const stored = await openStoredTokens(settings.tokenStore, warn);
  if (tokens === undefined && signed === undefined && stored === undefined)
    return { authorizer: new Authorizer({ kind: "open" }), toolScopes, metadata: undefined };
  const access: Access = {
    kind: "protected",
    tokens,
    stored,
    jwt,
    resourceMetadataUrl: signed && resourceMetadataUrl(signed.resource),
    scopes: toolScopes.all,
    tokenPlace: settings.tellsTokenFile === true ? settings.tokenFile : undefined,
  };
  return {
    authorizer: new Authorizer(access),
    stored,
    toolScopes,
    metadata: metadataOf(signed, toolScopes),
  };
}

interface SignedTokenSettings {
  readonly keySetUrl: string;
  readonly issuer: string;
  readonly resource: string;
  readonly audiences: readonly string[];
  readonly groupsClaim: string | undefined;
}

/** All of them or none: half a configuration would let in nobody, or the wrong ones. */
function signedTokenSettings(settings: AuthSettings): SignedTokenSettings | undefined {
  const { keySetUrl, issuer, resource, audience, groupsClaim } = settings;
  if (keySetUrl === undefined && issuer === undefined && audience === undefined) return undefined;
  const missing = Object.entries({
    "--jwks": keySetUrl,
    "--issuer": issuer,
    "--resource": resource,
  })
    .filter(([, value]) => value === undefined || value === "")
    .map(([name]) => name);
  if (!keySetUrl || !issuer || !resource)
    throw new AppError(
      "usage",
      `Signed tokens need --jwks, --issuer and --resource; missing: ${missing.join(", ")}.`,
    );
  const canonical = parseResource(resource);
  const audiences = audience === undefined ? audiencesOf(canonical) : [audience];
  return { keySetUrl, issuer, resource: canonical, audiences, groupsClaim };
}

async function createStaticTokens(
  path: string | undefined,
  warn: (message: string) => void,
): Promise<ProtectedAccess["tokens"]> {
  if (path === undefined) return undefined;
  const [{ TokenFile }, { StaticTokens }] = await Promise.all([
    import("./token-file.ts"),
    import("./static-tokens.ts"),
  ]);
  return new StaticTokens(new TokenFile(path, warn));
}

async function openStoredTokens(
  store: TokenStore | undefined,
  warn: (message: string) => void,
): Promise<StoredTokens | undefined> {
  if (store === undefined) return undefined;
  const { StoredTokens: Tokens } = await import("./stored-tokens.ts");
  return Tokens.open(store, { warn });
}

async function createJwtVerifier(
  { keySetUrl, ...rules }: SignedTokenSettings,
  warn: (message: string) => void,
): Promise<ProtectedAccess["jwt"]> {
  const [{ JwtVerifier }, { parseKeySetUrl }] = await Promise.all([
    import("./jwt-verifier.ts"),
    import("./remote-key-set.ts"),
  ]);
  return new JwtVerifier({ ...rules, keySetUrl: parseKeySetUrl(keySetUrl), warn });
}

function metadataOf(
  signed: SignedTokenSettings | undefined,
  { all }: ToolScopes,
): Auth["metadata"] {
  if (signed === undefined) return undefined;
  const { resource, issuer } = signed;
  return {
    paths: resourceMetadataPaths(resource),
    document: createResourceMetadata(resource, [issuer], all),
  };
}

const wellKnown = "/.well-known/oauth-protected-resource";

/** The document that tells clients where to get tokens (RFC 9728 section 2). */
interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
  readonly resource_name: string;
}

/**
 * Brings the URL of our endpoint, as clients write it, into its canonical form: lower-case scheme and host, no
 * trailing slash after the host (2026-07-28 authorization, Canonical Server URI).
 * @throws AppError "usage"
 */
export function parseResource(text: string): string {
  const url = URL.parse(text);
  const fail = (what: string): never => {
    const example = "write it like https://mcp.example.com/mcp";
    throw new AppError("usage", `The URL of this server "${text}" ${what}: ${example}.`);
  };
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return fail("is not an http(s) URL");
  if (url.username !== "" || url.password !== "" || /[?#]/.test(text))
    return fail("has more than a host and a path");
  return url.pathname === "/" ? url.origin : url.href;
}

/**
 * The accepted values of `aud`. Without a path the resource has two spellings, and clients that pass it through a
 * URL parser ask for the one with a slash.
 * @param resource of `parseResource`
 */
export function audiencesOf(resource: string): readonly string[] {
  return new URL(resource).pathname === "/" ? [resource, `${resource}/`] : [resource];
}

/** Where the document of `resource` is: its path follows the well-known one (RFC 9728 section 3.1). */
export function resourceMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${wellKnown}${pathname === "/" ? "" : pathname}`;
}

/** The paths at which to serve the document: at the root, and with the path of the endpoint after it. */
export function resourceMetadataPaths(resource: string): readonly string[] {
  return [...new Set([wellKnown, new URL(resourceMetadataUrl(resource)).pathname])];
}

/**
 * @param resource of `parseResource`
 * @param issuers the authorization servers, at least one
 * @param scopes none: the member is left out, and clients ask for no scope
 */
export function createResourceMetadata(
  resource: string,
  issuers: readonly string[],
  scopes: readonly string[],
): ProtectedResourceMetadata {
  return {
    resource,
    authorization_servers: issuers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    resource_name: product.title,
  };
}
