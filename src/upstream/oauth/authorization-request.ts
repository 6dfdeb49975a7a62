import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import { messageOf, AppError } from "../../base/errors.ts";
import { oauthLoginMsMax } from "../../base/upstream-limits.ts";
import type { LoginMetadata, ServerMetadata } from "./discover.ts";
import { OauthError, refusal, shown } from "./oauth-reach.ts";

/** One attempt to log in: the address for the browser, and the values that its answer must match. */
export interface LoginAttempt {
  /** The address for the browser. */
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

export interface AuthorizationParts {
  readonly metadata: LoginMetadata;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scope: string | undefined;
}

/** Makes a request; it always has PKCE, a state and the resource. */
export function createAuthorizationRequest(parts: AuthorizationParts): LoginAttempt {
  const state = randomBytes(32).toString("base64url");
  const verifier = randomBytes(48).toString("base64url");
  const url = new URL(parts.metadata.authorizationEndpoint);
  const query = {
    response_type: "code",
    client_id: parts.clientId,
    redirect_uri: parts.redirectUri,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: parts.resource,
    ...(parts.scope === undefined ? {} : { scope: parts.scope }),
    // OpenID servers give a refresh token only with it.
    ...(parts.scope?.split(" ").includes("offline_access") === true ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/** Whether the answer belongs to this attempt. */
function hasState(answer: URLSearchParams, { state }: LoginAttempt): boolean {
  const given = Buffer.from(answer.get("state") ?? "");
  const wanted = Buffer.from(state);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The code of an answer whose `state` was checked. @throws AppError `refused` when a different issuer sent it; OauthError
 * with the server's error
 */
export function readCode(answer: URLSearchParams, metadata: ServerMetadata): string {
  checkIssuer(answer.get("iss"), metadata);
  const error = answer.get("error");
  if (error !== null) throw new OauthError(error, answer.get("error_description") ?? "");
  const code = answer.get("code");
  if (code === null || code === "") throw refusal("The authorization server sent no code back.");
  return code;
}

/** Compares issuers as texts, as RFC 9207 demands. @throws AppError `refused` */
function checkIssuer(iss: string | null, { issuer, namesIssuer }: ServerMetadata): void {
  if (iss === issuer || (iss === null && !namesIssuer)) return;
  const said = iss === null ? "does not name its sender" : `is from ${shown(iss)}`;
  throw refusal(
    `The answer to the login ${said}, but the request went to ${shown(issuer)}. The login was aborted.`,
  );
}

const path = "/callback";

/** Waits on this machine for the browser to come back from a login. */
export class RedirectListener implements Disposable {
  readonly #server: Bun.Server<undefined>;
  readonly #answer = Promise.withResolvers<URLSearchParams>();
  /** Set before the browser opens the login page. */
  #isMeant: (answer: URLSearchParams) => boolean = () => false;
  #isDone = false;

  /**
   * @param port undefined: any free port
   * @throws AppError `refused` when the port is in use
   */
  static open(port: number | undefined): RedirectListener {
    try {
      return new RedirectListener(port ?? 0);
    } catch (error) {
      throw refusal(
        `The login cannot listen on ${port === undefined ? "any port" : `port ${port}`} of this machine: ${messageOf(error)}.`,
      );
    }
  }

  private constructor(port: number) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port,
      // A page that stays open keeps its connection.
      idleTimeout: 10,
      fetch: (request) => this.#take(request),
    });
  }

  get redirectUri(): string {
    return `http://127.0.0.1:${this.#server.port}${path}`;
  }

  /** The answer with the right `state`; all other requests are rejected. */
  answer(isMeant: (answer: URLSearchParams) => boolean): Promise<URLSearchParams> {
    this.#isMeant = isMeant;
    return this.#answer.promise;
  }

  [Symbol.dispose](): void {
    this.#isDone = true;
    // Requests in progress are still answered.
    void this.#server.stop();
  }

  #take(request: Request): Response {
    const url = new URL(request.url);
    const isOurs = request.headers.get("host") === `127.0.0.1:${this.#server.port}`;
    if (this.#isDone || request.method !== "GET" || url.pathname !== path || !isOurs) {
      return page(404, "There is nothing here.");
    }
    if (!this.#isMeant(url.searchParams)) {
      return page(400, "This does not belong to a current login.");
    }
    this.#isDone = true;
    this.#answer.resolve(url.searchParams);
    const isError = url.searchParams.has("error");
    return page(200, isError ? "The login was refused." : "The login was received.");
  }
}

/** A page without any text of the request. */
function page(status: number, text: string): Response {
  const html = `<!doctype html><meta charset="utf-8"><title>scorpiox-code</title><p>${text} You can close this page and go back to scorpiox-code.</p>`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  };
  return new Response(html, { status, headers });
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

/** The code, from the browser or the user's input, whichever comes first. */
export async function answerOf(
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
