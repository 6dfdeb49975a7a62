import { type ServiceClient, signAssertion } from "../config/service-client.ts";
import type { IdpOptions } from "../config/service-options.ts";
import { errorOf, methodOf, type OauthClient } from "./client-registration.ts";
import { type Challenge, discover, joinScopes, serverMetadata } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginRecord } from "./logins-file.ts";
import { type LoginPlace, refusal } from "./oauth-reach.ts";
import type { OauthRequests } from "./oauth-requests.ts";
import { assertIssuer, type AuthMethod, type ServerMetadata } from "./server-metadata.ts";
import { authorize, grantTokens, isToken, type Tokens } from "./token-endpoint.ts";

/** What an entry says of a login without a person. */
export interface ServiceWish {
  readonly place: LoginPlace;
  /** As the entry has it now. @throws NeedsConfig */
  readonly client: () => Promise<ServiceClient>;
  /** Pinned ones: nothing else is asked for. */
  readonly scopes?: readonly string[];
  /** The one authorization server that gets a proof. */
  readonly issuer?: string;
}

/** Where tokens for a server are had, and for what. */
export type TokenSource = Omit<LoginRecord, keyof Tokens>;

/**
 * Finds where tokens are had. A server that names another authorization server than before would get the client's secret
 * sent there: that is the user's to decide.
 * @param known what the server said when it refused
 * @throws AppError `refused`, OauthUnreachable, NeedsConfig
 */
export async function findSource(
  wish: ServiceWish,
  known: Challenge,
  store: LoginStore,
  requests: OauthRequests,
): Promise<TokenSource> {
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

function methodOfProof(proof: ServiceClient["proof"], metadata: ServerMetadata): AuthMethod {
  if (proof === "none") return "none";
  return "key" in proof ? "private_key_jwt" : methodOf(metadata, proof.secret);
}

/**
 * Gets together what tokens are given for.
 * @param clock milliseconds since 1970
 * @returns asks for them, with one request; throws OauthError, OauthUnreachable, AppError `refused`
 * @throws OauthError, OauthUnreachable, AppError `refused`, NeedsConfig
 */
export async function prepareGrant(
  source: TokenSource,
  wish: ServiceWish,
  requests: OauthRequests,
  clock: () => number,
): Promise<() => Promise<LoginRecord>> {
  const service = await wish.client();
  const client = provingClient(source, service, clock);
  const { trades } = service;
  const assertion =
    trades !== undefined && "idp" in trades
      ? await requestIdentityGrant(source, trades.idp, requests)
      : trades?.assertion;
  return async () => ({
    ...source,
    ...(await grantTokens(source, client, assertion, requests, clock)),
  });
}

/** The client of a login with its proof, which the login does not keep. @param clock milliseconds since 1970 */
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

const grantType = "urn:ietf:params:oauth:token-type:id-jag";

/** For whom an identity provider is to speak. */
interface IdentityWish {
  /** The authorization server. */
  readonly issuer: string;
  /** What the tokens there are for. */
  readonly resource: string;
  readonly scope?: string;
}

/**
 * Has a company's identity provider say to one authorization server who the person is, for one resource (RFC 8693, with
 * the grant of identity assertions). What it says is good for some minutes and is not kept.
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
async function requestIdentityGrant(
  { issuer, resource, scope }: IdentityWish,
  { issuer: idp, clientId, clientSecret, idToken }: IdpOptions,
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
    requested_token_type: grantType,
    audience: issuer,
    resource,
    subject_token: idToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    ...(scope === undefined ? {} : { scope }),
  });
  const headers = await authorize(client, form);
  const what = "The identity provider";
  const { status, body } = await requests.post(metadata.tokenEndpoint, form, headers, what);
  if (status !== 200 || body === undefined) throw errorOf(status, body, what);
  const { access_token: grant, issued_token_type: type } = body;
  if (type !== grantType || !isToken(grant)) {
    throw refusal("The identity provider gave something else than what was asked for.");
  }
  return grant;
}
