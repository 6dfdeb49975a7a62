import { AppError } from "../../base/errors.ts";
import { type Access, Authorizer, type ProtectedAccess } from "./authorizer.ts";
import {
  audiencesOf,
  createResourceMetadata,
  parseResource,
  type ProtectedResourceMetadata,
  resourceMetadataPaths,
  resourceMetadataUrl,
} from "./protected-resource.ts";
import { parseToolScopes, type ToolScopes } from "./tool-scopes.ts";

/** The operator's flags, as written. */
export interface AuthSettings {
  readonly tokenFile?: string | undefined;
  /** Tell clients without a token that it is in the token file: the server has made it itself. */
  readonly tellsTokenFile?: boolean;
  /** Where the keys for signed tokens are; needs `issuer` and `resource`. */
  readonly keySetUrl?: string | undefined;
  readonly issuer?: string | undefined;
  /** The URL of our endpoint as clients write it. */
  readonly resource?: string | undefined;
  /** `aud` of our tokens, when it is not `resource`. */
  readonly audience?: string | undefined;
  /** See `parseToolScopes`. */
  readonly toolScopes?: string | undefined;
}

/** All that the endpoint needs. */
export interface Auth {
  readonly authorizer: Authorizer;
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
  if (tokens === undefined && signed === undefined)
    return { authorizer: new Authorizer({ kind: "open" }), toolScopes, metadata: undefined };
  const access: Access = {
    kind: "protected",
    tokens,
    jwt,
    resourceMetadataUrl: signed && resourceMetadataUrl(signed.resource),
    scopes: toolScopes.all,
    tokenPlace: settings.tellsTokenFile === true ? settings.tokenFile : undefined,
  };
  return {
    authorizer: new Authorizer(access),
    toolScopes,
    metadata: metadataOf(signed, toolScopes),
  };
}

interface SignedTokenSettings {
  readonly keySetUrl: string;
  readonly issuer: string;
  readonly resource: string;
  readonly audiences: readonly string[];
}

/** All of them or none: half a configuration would let in nobody, or the wrong ones. */
function signedTokenSettings(settings: AuthSettings): SignedTokenSettings | undefined {
  const { keySetUrl, issuer, resource, audience } = settings;
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
  return { keySetUrl, issuer, resource: canonical, audiences };
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

async function createJwtVerifier(
  { keySetUrl, issuer, audiences }: SignedTokenSettings,
  warn: (message: string) => void,
): Promise<ProtectedAccess["jwt"]> {
  const [{ JwtVerifier }, { parseKeySetUrl }] = await Promise.all([
    import("./jwt-verifier.ts"),
    import("./key-set-url.ts"),
  ]);
  return new JwtVerifier({ issuer, audiences, keySetUrl: parseKeySetUrl(keySetUrl), warn });
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
