import { AppError } from "../../base/errors.ts";
import { oauthLoginMsMax } from "../../base/upstream-limits.ts";
import {
  type LoginAttempt,
  createAuthorizationRequest,
  hasState,
  readCode,
  RedirectListener,
} from "./authorization-request.ts";
import { chooseClient, type KnownClient, type WantedClient } from "./client-registration.ts";
import { discover, type Discovery, joinScopes } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginRecord } from "./logins-file.ts";
import { type LoginPlace, refusal } from "./oauth-reach.ts";
import { OauthRequests } from "./oauth-requests.ts";
import { assertIssuer, forPersons, type ServerMetadata } from "./server-metadata.ts";
import { exchangeCode } from "./token-endpoint.ts";

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

/** How a login reaches the user. */
export interface LoginUser {
  /** Shows the address to the user. Returns at once. */
  show(url: string): void;
  /** Reads the user's input; absent where nobody can type. Called again after an input that is not an answer. */
  readonly pasted?: (signal: AbortSignal) => Promise<string | undefined>;
  /** Reports that a pasted text is not an answer. */
  complain?(text: string): void;
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
  using listener = openListener(wish, before);
  const { redirectUri } = listener;
  const known = before === undefined ? undefined : knownClient(before);
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
  { redirectPort }: LoginWish,
  before: LoginRecord | undefined,
): RedirectListener {
  const known = before === undefined ? undefined : knownClient(before);
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

/** The code, from the browser or the user's input, whichever comes first. */
async function answerOf(
  request: LoginAttempt,
  listener: RedirectListener,
  metadata: ServerMetadata,
  user: LoginUser,
  signal: AbortSignal,
): Promise<string> {
  const done = new AbortController();
  const late = AbortSignal.timeout(oauthLoginMsMax);
  const ended = AbortSignal.any([done.signal, signal, late]);
  const answers = [listener.answer((answer) => hasState(answer, request)), given(ended, late)];
  user.show(request.url);
  if (user.pasted !== undefined) answers.push(pastedAnswer(request, metadata, user, ended));
  try {
    return readCode(await Promise.race(answers), metadata);
  } finally {
    done.abort();
  }
}

/** Rejects when the login is cancelled or takes too long. */
async function given(ended: AbortSignal, late: AbortSignal): Promise<never> {
  if (!ended.aborted) {
    await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  }
  if (late.aborted) {
    throw refusal(`Nobody logged in within ${oauthLoginMsMax / 60_000} minutes. Try again.`);
  }
  throw new AppError("cancelled", "The login was cancelled.");
}

async function pastedAnswer(
  request: LoginAttempt,
  metadata: ServerMetadata,
  user: LoginUser,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  while (!signal.aborted) {
    const text = await user.pasted?.(signal);
    // There is no more input; the browser may still answer.
    if (text === undefined) break;
    const answer = readPastedAnswer(text, request, metadata);
    if (typeof answer !== "string") return answer;
    user.complain?.(answer);
  }
  return new Promise(() => {});
}

/**
 * Reads a pasted text: the address to which the browser was redirected, or the code alone. @returns advice as a text
 * when it cannot be used
 */
function readPastedAnswer(
  text: string,
  request: LoginAttempt,
  metadata: ServerMetadata,
): URLSearchParams | string {
  const trimmed = text.trim();
  if (trimmed === "") return "Paste the address that the browser shows after the login.";
  if (/^https?:/i.test(trimmed) || trimmed.includes("code=") || trimmed.includes("error=")) {
    const query =
      URL.parse(trimmed)?.searchParams ?? new URLSearchParams(trimmed.replace(/^[^?]*\?/, ""));
    if (hasState(query, request)) return query;
    return "That is not the answer to this login; paste the whole address to which the browser was redirected.";
  }
  // A code alone does not show its sender.
  if (metadata.namesIssuer) {
    return "Paste the whole address to which the browser was redirected: the code alone does not show its sender.";
  }
  return new URLSearchParams({ code: trimmed });
}
