import type { IdpOptions, TradeOptions } from "../config/server-entry.ts";
import { type ServiceClient, signAssertion } from "../config/service-client.ts";
import { errorOf, methodOf, type OauthClient } from "./client-registration.ts";
import {
  assertIssuer,
  type AuthMethod,
  type Challenge,
  discover,
  joinScopes,
  serverMetadata,
  type ServerMetadata,
} from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginRecord } from "./logins-file.ts";
import { type LoginPlace, refusal, shown } from "./oauth-reach.ts";
import type { OauthRequests } from "./oauth-requests.ts";
import {
  authorize,
  exchangeToken,
  grantTokens,
  isToken,
  type SubjectToken,
  type Tokens,
  tokenTypes,
} from "./token-endpoint.ts";

/** A login without a person, as an entry describes it. */
export interface ServiceWish {
  readonly place: LoginPlace;
  /** Expands the client from the entry. @throws NeedsConfig */
  readonly client: () => Promise<ServiceClient>;
  /** Pinned scopes; no others are requested. */
  readonly scopes?: readonly string[];
  /** The only authorization server that gets a proof. */
  readonly issuer?: string;
}

/** The source of tokens for a server: a login without its tokens. */
export type LoginSource = Omit<LoginRecord, keyof Tokens>;

/**
 * Finds the source of tokens. A server that names a different authorization server than before could have the client's
 * secret sent there, so only the user may change it. @param known the challenge of the server when it refused a request
 * @throws AppError `refused`, OauthUnreachable, NeedsConfig
 */
export async function findSource(
  wish: ServiceWish,
  known: Challenge,
  store: LoginStore,
  requests: OauthRequests,
): Promise<LoginSource> {
  const { place } = wish;
  const entry = await store.entry(place);
  const { metadata, resource, scope } = await discover(place.url, known, requests);
  const expected = wish.issuer ?? entry?.issuer;
  if (expected !== undefined) assertIssuer(metadata, expected);
  const before = entry?.resource === resource ? await store.record(entry) : undefined;
  const all =
    wish.scopes === undefined ? joinScopes(before?.scope, scope) : joinScopes(...wish.scopes);
  const { clientId, proof } = await wish.client();
  const authMethod = methodOfProof(proof, metadata);
  const { issuer, tokenEndpoint, revocationEndpoint } = metadata;
  return {
    issuer,
    resource,
    client: { clientId, authMethod },
    tokenEndpoint,
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    ...(all === undefined ? {} : { scope: all }),
  };
}

/** How a client with this proof authenticates. */
function methodOfProof(proof: ServiceClient["proof"], metadata: ServerMetadata): AuthMethod {
  if (proof === "none") return "none";
  return "key" in proof ? "private_key_jwt" : methodOf(metadata, proof.secret);
}

/**
 * Collects the proofs for a token request. @param clock milliseconds since 1970 @returns a function that gets tokens
 * with one request; throws OauthError, OauthUnreachable, AppError `refused`
 * @throws OauthError, OauthUnreachable, AppError `refused`, NeedsConfig
 */
export async function prepareGrant(
  source: LoginSource,
  wish: ServiceWish,
  requests: OauthRequests,
  clock: () => number,
): Promise<() => Promise<LoginRecord>> {
  const service = await wish.client();
  const client = provingClient(source, service, clock);
  const { trades } = service;
  const assertion =
    trades !== undefined && "idp" in trades
      ? await requestIdentityGrant(
          source,
          trades.idp,
          { token: trades.idp.idToken, type: tokenTypes.id },
          requests,
        )
      : trades?.assertion;
  return async () => ({
    ...source,
    ...(await grantTokens(source, client, assertion, requests, clock)),
  });
}

/** The client of a login with its proof, which the login does not store. @param clock milliseconds since 1970 */
export function provingClient(
  { issuer, client }: Pick<LoginRecord, "issuer" | "client">,
  { clientId, proof }: ServiceClient,
  clock: () => number,
): OauthClient {
  if (proof === "none") return client;
  if ("secret" in proof) return { ...client, clientSecret: proof.secret };
  const { key } = proof;
  return { ...client, assertion: () => signAssertion(clientId, key, issuer, clock()) };
}

/** The target of an identity assertion. */
interface IdentityWish {
  /** The authorization server. */
  readonly issuer: string;
  /** The resource of its tokens. */
  readonly resource: string;
  readonly scope?: string;
}

/**
 * Gets an assertion of the person's identity from a company's identity provider, for one authorization server and one
 * resource (RFC 8693, with the grant of identity assertions). It is valid for some minutes and is not stored.
 * @param subject a token of the identity provider about the person
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
async function requestIdentityGrant(
  { issuer, resource, scope }: IdentityWish,
  { issuer: idp, clientId, clientSecret }: Omit<IdpOptions, "idToken">,
  subject: SubjectToken,
  requests: OauthRequests,
): Promise<string> {
  const metadata = await serverMetadata(idp, requests);
  const client: OauthClient = {
    clientId,
    authMethod: methodOf(metadata, clientSecret),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: tokenTypes.identityGrant,
    audience: issuer,
    resource,
    subject_token: subject.token,
    subject_token_type: subject.type,
    ...(scope === undefined ? {} : { scope }),
  });
  const headers = await authorize(client, form);
  const what = "The identity provider";
  const { status, body } = await requests.post(metadata.tokenEndpoint, form, headers, what);
  if (status !== 200 || body === undefined) throw errorOf(status, body, what);
  const { access_token: grant, issued_token_type: type } = body;
  if (type !== tokenTypes.identityGrant || !isToken(grant)) {
    throw refusal("The identity provider did not return the requested kind of token.");
  }
  return grant;
}

/** How the identity of a principal is traded, as an entry describes it. */
export interface TradeWish {
  readonly place: LoginPlace;
  readonly grant: TradeOptions["grant"];
  /** Expands the client, and with `enterprise` its other one at the identity provider. @throws NeedsConfig */
  readonly client: () => Promise<TradeClient>;
  /** Pinned scopes; no others are requested. */
  readonly scopes?: readonly string[];
  /** The only authorization server that gets anything. */
  readonly issuer: string;
}

interface TradeClient {
  readonly client: ServiceClient;
  readonly idp?: Omit<IdpOptions, "idToken">;
}

const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
const assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Trades the token with which a principal has come for one of an upstream server: at its authorization server (RFC 8693),
 * or by the company's identity provider for a grant that the authorization server takes (draft-ietf-oauth-identity-assertion-authz-grant-04).
 * @param identity the principal's signed token @param scope that the server has demanded
 * @param clock milliseconds since 1970
 * @throws AppError `refused`, OauthError, OauthUnreachable, NeedsConfig
 */
export async function tradeIdentity(
  wish: TradeWish,
  identity: string,
  scope: string | undefined,
  requests: OauthRequests,
  clock: () => number,
): Promise<Tokens> {
  const known = scope === undefined ? {} : { scope };
  const { metadata, resource, scope: named } = await discover(wish.place.url, known, requests);
  // It comes first: a server that gets the token of the principal could use it.
  assertIssuer(metadata, wish.issuer);
  const { issuer, tokenEndpoint } = metadata;
  assertGrant(metadata, wish.grant === "enterprise" ? assertionGrant : exchangeGrant);
  const { client, idp } = await wish.client();
  const all = wish.scopes === undefined ? named : joinScopes(...wish.scopes);
  const source = { tokenEndpoint, resource, ...(all === undefined ? {} : { scope: all }) };
  const authMethod = methodOfProof(client.proof, metadata);
  const proving = provingClient(
    { issuer, client: { clientId: client.clientId, authMethod } },
    client,
    clock,
  );
  const subject = { token: identity, type: tokenTypes.access };
  const tokens =
    idp === undefined
      ? await exchangeToken(source, proving, subject, requests, clock)
      : await grantTokens(
          source,
          proving,
          await requestIdentityGrant({ ...source, issuer }, idp, subject, requests),
          requests,
          clock,
        );
  if (tokens.accessToken !== identity) return tokens;
  throw refusal(
    "The authorization server returned the token of the client, which no MCP server may get.",
  );
}

/** Only where the authorization server says so is it sent the identity of a person. @throws AppError `refused` */
function assertGrant({ issuer, grantTypes }: ServerMetadata, grant: string): void {
  if (grantTypes?.includes(grant) === true) return;
  throw refusal(
    `The authorization server ${shown(issuer)} does not announce ${grant} (grant_types_supported), so the identity of the user is not sent there.`,
  );
}
