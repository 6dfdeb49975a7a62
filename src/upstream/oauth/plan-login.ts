import { createAuthorizationRequest, type LoginAttempt } from "./authorization-request.ts";
import {
  chooseClient,
  type ClientKind,
  type KnownClient,
  type OauthClient,
  type WantedClient,
} from "./client-registration.ts";
import {
  assertIssuer,
  type Challenge,
  discover,
  type Discovery,
  forPersons,
  joinScopes,
  type LoginMetadata,
} from "./discover.ts";
import type { LoginRecord } from "./logins-file.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import type { OauthRequests } from "./oauth-requests.ts";
import { exchangeCode } from "./token-endpoint.ts";

/** A login of a person, as an entry or a command describes it. */
export interface LoginWish {
  readonly place: LoginPlace;
  readonly client: WantedClient;
  /** The only authorization server at which a person may log in. */
  readonly issuer?: string;
  /** Pinned scopes; no others are requested. */
  readonly scopes?: readonly string[];
  /** The port of the redirect address. */
  readonly redirectPort?: number;
}

/** A login whose authorization server and client are known, before the browser has come back. Plain data. */
export interface PlannedLogin {
  readonly metadata: LoginMetadata;
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scope?: string;
  readonly attempt: LoginAttempt;
}

/** A login page that may be opened. */
export interface FoundLogin extends Discovery {
  readonly metadata: LoginMetadata;
}

/**
 * Finds the login page of a server (OA1).
 * @param known the challenge that a running connection got
 * @throws AppError `refused`; OauthUnreachable
 */
export async function findLogin(
  { place, issuer }: LoginWish,
  known: Challenge,
  requests: OauthRequests,
): Promise<FoundLogin> {
  const found = await discover(place.url, known, requests);
  const metadata = forPersons(found.metadata);
  if (issuer !== undefined) assertIssuer(metadata, issuer);
  await requests.assertAllowed(metadata.authorizationEndpoint, "The page of the login");
  return { ...found, metadata };
}

/** The address to which the browser returns, and the results of earlier logins. */
export interface PlanParts {
  readonly redirectUri: string;
  /** The kind of client that has such an address. */
  readonly kind: ClientKind;
  /** The earlier login of the same person. */
  readonly before: Pick<LoginRecord, "scope"> | undefined;
  readonly known: KnownClient | undefined;
}

/**
 * Chooses the client and makes the address for the browser (OA2, OA7).
 * @throws AppError `refused`; OauthError; OauthUnreachable
 */
export async function planLogin(
  wish: LoginWish,
  found: FoundLogin,
  { redirectUri, kind, before, known }: PlanParts,
  requests: OauthRequests,
): Promise<PlannedLogin> {
  const { metadata, resource } = found;
  const client = await chooseClient(wish.client, known, { redirectUri, kind }, metadata, requests);
  const scope = scopeOf(wish, before, found);
  const { clientId } = client;
  const attempt = createAuthorizationRequest({ metadata, clientId, redirectUri, resource, scope });
  const plan = { metadata, client, redirectUri, resource, attempt };
  return scope === undefined ? plan : { ...plan, scope };
}

/**
 * Exchanges the code with which the browser came back for tokens.
 * @throws AppError `refused`; OauthError; OauthUnreachable
 */
export async function completeLogin(
  { metadata, client, redirectUri, resource, scope, attempt }: PlannedLogin,
  code: string,
  requests: OauthRequests,
): Promise<LoginRecord> {
  const grant = { code, verifier: attempt.verifier, redirectUri, resource };
  const tokens = await exchangeCode(metadata.tokenEndpoint, client, grant, requests);
  const { issuer, tokenEndpoint, revocationEndpoint } = metadata;
  return {
    issuer,
    resource,
    client,
    tokenEndpoint,
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    redirectUri,
    ...(scope === undefined ? {} : { scope }),
    ...tokens,
  };
}

/** Pinned scopes, else those that the server wants now and those of the earlier login; never all that it supports. */
function scopeOf(
  { scopes }: LoginWish,
  before: Pick<LoginRecord, "scope"> | undefined,
  { scope, metadata }: Discovery,
): string | undefined {
  if (scopes !== undefined) return joinScopes(...scopes);
  const all = joinScopes(before?.scope, scope);
  const isOffline = metadata.scopesSupported.includes("offline_access");
  return all !== undefined && isOffline ? joinScopes(all, "offline_access") : all;
}
