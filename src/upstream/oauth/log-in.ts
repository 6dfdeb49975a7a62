import { messageOf } from "../../base/errors.ts";
import { answerOf, type LoginUser, RedirectListener } from "./authorization-request.ts";
import type { KnownClient, OauthClient } from "./client-registration.ts";
import type { Discovery } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginRecord } from "./logins-file.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import { OauthRequests } from "./oauth-requests.ts";
import { completeLogin, findLogin, type LoginWish, planLogin } from "./plan-login.ts";
import { revokeToken } from "./token-endpoint.ts";

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
  const found = await findLogin(wish, await store.wanted(place), requests);
  const before = await knownLogin(store, place, found);
  const known = before === undefined ? undefined : knownClient(before);
  using listener = openListener(wish.redirectPort, known);
  const { redirectUri } = listener;
  const parts = { redirectUri, kind: "native", before, known } as const;
  const plan = await planLogin(wish, found, parts, requests);
  const code = await answerOf(plan.attempt, listener, plan.metadata, user, signal);
  const record = await completeLogin(plan, code, requests);
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
  store: Pick<LoginStore, "entry" | "record" | "remove" | "roads">,
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
