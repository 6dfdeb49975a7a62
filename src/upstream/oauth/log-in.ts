import { messageOf } from "../../base/errors.ts";
import {
  createAuthorizationRequest,
  RedirectListener,
  type LoginUser,
  answerOf,
} from "./authorization-request.ts";
import {
  chooseClient,
  type KnownClient,
  type WantedClient,
  type OauthClient,
} from "./client-registration.ts";
import { discover, type Discovery, joinScopes, assertIssuer, forPersons } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginRecord } from "./logins-file.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import { OauthRequests } from "./oauth-requests.ts";
import { exchangeCode, revokeToken } from "./token-endpoint.ts";

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

/**
 * Logs the user in to a server (OA1–OA4, OA7) and keeps the tokens.
 * @throws AppError `refused`, `cancelled`, `system`; OauthError; OauthUnreachable
 */
export async function logIn(
  wish: LoginWish,
  user: LoginUser,
  store: LoginStore,
  signal: AbortSignal,
): Promise<LoginRecord> {
  const { place } = wish;
  const requests = new OauthRequests(place, store.roads, signal);
  const found = await discover(place.url, await store.wanted(place), requests);
  const metadata = forPersons(found.metadata);
  if (wish.issuer !== undefined) assertIssuer(metadata, wish.issuer);
  const page = "The page of the login";
  await requests.assertAllowed(metadata.authorizationEndpoint, page);
  const before = await knownLogin(store, place, found);
  const known = before === undefined ? undefined : knownClient(before);
  using listener = openListener(wish.redirectPort, known);
  const { redirectUri } = listener;
  const client = await chooseClient(wish.client, known, redirectUri, metadata, requests);
  const scope = scopeOf(wish, before, found);
  const { resource } = found;
  const { clientId } = client;
  const request = createAuthorizationRequest({ metadata, clientId, redirectUri, resource, scope });
  const answer = await answerOf(request, listener, metadata, user, signal);
  const grant = { code: answer, verifier: request.verifier, redirectUri, resource };
  const tokens = await exchangeCode(metadata.tokenEndpoint, client, grant, requests);
  const { issuer, tokenEndpoint, revocationEndpoint } = metadata;
  const record: LoginRecord = {
    issuer,
    resource,
    client,
    tokenEndpoint,
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    redirectUri,
    ...(scope === undefined ? {} : { scope }),
    ...tokens,
  };
  await store.add(place, record);
  return record;
}

/** The earlier login, if it was at the same authorization server for the same resource. */
async function knownLogin(
  store: LoginStore,
  place: LoginPlace,
  { metadata, resource }: Discovery,
): Promise<LoginRecord | undefined> {
  const entry = await store.entry(place);
  if (entry?.issuer !== metadata.issuer || entry.resource !== resource) return undefined;
  return store.record(entry);
}

/** The client of the login, if it was registered dynamically. */
function knownClient({ client, redirectUri }: LoginRecord): KnownClient | undefined {
  if (client.registration === undefined || redirectUri === undefined) return undefined;
  return { ...client, redirectUri };
}

/** A registration is for one redirect address, so its port is used again when it is free. */
function openListener(
  redirectPort: number | undefined,
  known: KnownClient | undefined,
): RedirectListener {
  if (redirectPort !== undefined || known === undefined) return RedirectListener.open(redirectPort);
  try {
    return RedirectListener.open(Number(new URL(known.redirectUri).port));
  } catch {
    return RedirectListener.open(undefined);
  }
}

/** Pinned scopes, else those that the server wants now and those of the earlier login; never all that it supports. */
function scopeOf(
  { scopes }: LoginWish,
  before: LoginRecord | undefined,
  { scope, metadata }: Discovery,
): string | undefined {
  if (scopes !== undefined) return joinScopes(...scopes);
  const all = joinScopes(before?.scope, scope);
  const isOffline = metadata.scopesSupported.includes("offline_access");
  return all !== undefined && isOffline ? joinScopes(all, "offline_access") : all;
}

export interface Logout {
  /** False when there was no login. */
  readonly wasLoggedIn: boolean;
  /** Whether the authorization server has revoked the tokens. */
  readonly isRevoked: boolean;
  /** Failures at the authorization server. The local login is deleted anyway. */
  readonly problems: readonly string[];
}

/**
 * Revokes tokens and registration where the server supports that, and deletes the login (OA7).
 * @param prove adds the client's proof, where the login does not contain it
 * @throws AppError `system`
 */
export async function logOut(
  place: LoginPlace,
  store: LoginStore,
  signal: AbortSignal,
  prove?: (record: LoginRecord) => Promise<OauthClient>,
): Promise<Logout> {
  const entry = await store.entry(place);
  const record = entry === undefined ? undefined : await store.record(entry).catch(() => undefined);
  const requests = new OauthRequests(place, store.roads, signal);
  const problems: string[] = [];
  // Delete the local login first: it must be gone whatever the server does.
  await store.remove(place);
  const isRevoked = record !== undefined && (await revoke(record, requests, problems, prove));
  if (record !== undefined) await unregister(record, requests, problems);
  return { wasLoggedIn: entry !== undefined, isRevoked, problems };
}

async function revoke(
  record: LoginRecord,
  requests: OauthRequests,
  problems: string[],
  prove = ({ client }: LoginRecord): Promise<OauthClient> => Promise.resolve(client),
): Promise<boolean> {
  const { revocationEndpoint, refreshToken, accessToken } = record;
  if (revocationEndpoint === undefined) return false;
  const tokens = [
    ["refresh_token", refreshToken],
    ["access_token", accessToken],
  ] as const;
  let isRevoked = true;
  for (const [kind, token] of tokens) {
    if (token === undefined) continue;
    try {
      const client = await prove(record);
      const isDone = await revokeToken(revocationEndpoint, client, token, kind, requests);
      if (!isDone) throw new Error(`The server did not revoke the ${kind}.`);
    } catch (error) {
      isRevoked = false;
      problems.push(messageOf(error));
    }
  }
  return isRevoked;
}

/** Deletes the registration (RFC 7592) where the server gave an address for that. */
async function unregister(
  { client }: LoginRecord,
  requests: OauthRequests,
  problems: string[],
): Promise<void> {
  const { uri, token } = client.registration ?? {};
  if (uri === undefined || token === undefined) return;
  try {
    await requests.delete(uri, token, "The registration of this client");
  } catch (error) {
    problems.push(messageOf(error));
  }
}
