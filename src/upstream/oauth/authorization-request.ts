import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import { messageOf } from "../../base/errors.ts";
import { OauthError, refusal, shown } from "./oauth-reach.ts";
import type { LoginMetadata, ServerMetadata } from "./server-metadata.ts";

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
export function hasState(answer: URLSearchParams, { state }: LoginAttempt): boolean {
  const given = Buffer.from(answer.get("state") ?? "");
  const wanted = Buffer.from(state);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The code of an answer whose `state` was checked. @throws AppError `refused` when another server sent it; OauthError
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
