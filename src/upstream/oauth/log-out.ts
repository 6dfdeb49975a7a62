import { messageOf } from "../../base/errors.ts";
import type { OauthClient } from "./client-registration.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginRecord } from "./logins-file.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import { OauthRequests } from "./oauth-requests.ts";
import { revokeToken } from "./token-endpoint.ts";

export interface Logout {
  /** False: there was no login. */
  readonly wasLoggedIn: boolean;
  /** Whether the authorization server has taken the tokens back. */
  readonly isRevoked: boolean;
  /** What could not be done there. The login is gone here all the same. */
  readonly problems: readonly string[];
}

/**
 * Takes tokens and registration back where the server can, and deletes them (OA7).
 * @param prove the client with what proves it, where the login does not have that with it
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
  // First here: what the server does afterwards is beyond us.
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
      if (!isDone) throw new Error(`The server did not take the ${kind} back.`);
    } catch (error) {
      isRevoked = false;
      problems.push(messageOf(error));
    }
  }
  return isRevoked;
}

/** RFC 7592, where the server has said where. */
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
