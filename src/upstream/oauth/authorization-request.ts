import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import type { LoginMetadata, ServerMetadata } from "./server-metadata.ts";
import { OauthError, refusal, shown } from "./oauth-refusal.ts";

/** One attempt to log in: what the browser is sent with, and what has to come back. */
export interface AuthorizationRequest {
  /** For the browser. */
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

/** PKCE, a state and the resource, always. */
export function createAuthorizationRequest(parts: AuthorizationParts): AuthorizationRequest {
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
    // Servers of OpenID give a refresh token only then.
    ...(parts.scope?.split(" ").includes("offline_access") === true ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/** Whether what came back belongs to this attempt. */
export function hasState(answer: URLSearchParams, { state }: AuthorizationRequest): boolean {
  const given = Buffer.from(answer.get("state") ?? "");
  const wanted = Buffer.from(state);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The code in what came back; whose `state` is right is known already.
 * @throws AppError `refused` where it is not from the server that was asked; OauthError with what the server says
 */
export function readCode(answer: URLSearchParams, metadata: ServerMetadata): string {
  checkIssuer(answer.get("iss"), metadata);
  const error = answer.get("error");
  if (error !== null) throw new OauthError(error, answer.get("error_description") ?? "");
  const code = answer.get("code");
  if (code === null || code === "") throw refusal("The authorization server sent no code back.");
  return code;
}

/** RFC 9207: texts are compared as they are. @throws AppError `refused` */
function checkIssuer(iss: string | null, { issuer, namesIssuer }: ServerMetadata): void {
  if (iss === issuer || (iss === null && !namesIssuer)) return;
  const said = iss === null ? "does not say who sends it" : `is from ${shown(iss)}`;
  throw refusal(
    `The answer to the login ${said}, and ${shown(issuer)} was asked. The login is given up.`,
  );
}
