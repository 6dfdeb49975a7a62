import { oauthTokenCharsMax } from "../../base/upstream-limits.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { errorOf, type OauthClient } from "./client-registration.ts";
import type { LoginRecord } from "./logins-file.ts";
import { refusal } from "./oauth-reach.ts";
import type { OauthRequests } from "./oauth-requests.ts";

/** The part of a login that comes from the token endpoint. */
export type Tokens = Pick<LoginRecord, "accessToken" | "refreshToken" | "issuedAt" | "expiresAt">;

/** Times are milliseconds since 1970. */
type Clock = () => number;

/**
 * Exchanges the code from the browser for tokens.
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
export function exchangeCode(
  endpoint: string,
  client: OauthClient,
  grant: Readonly<Record<"code" | "verifier" | "redirectUri" | "resource", string>>,
  requests: OauthRequests,
): Promise<Tokens> {
  const form = {
    grant_type: "authorization_code",
    code: grant.code,
    code_verifier: grant.verifier,
    redirect_uri: grant.redirectUri,
    resource: grant.resource,
  };
  return ask(endpoint, client, form, requests, Date.now);
}

/**
 * Refreshes the tokens of a login; keeps the old refresh token when the server gives no new one.
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
export async function refreshTokens(
  { tokenEndpoint, client, refreshToken = "", resource }: LoginRecord,
  requests: OauthRequests,
  clock: Clock = Date.now,
): Promise<Tokens> {
  const form = { grant_type: "refresh_token", refresh_token: refreshToken, resource };
  return { refreshToken, ...(await ask(tokenEndpoint, client, form, requests, clock)) };
}

/**
 * Gets tokens without a person, for a client itself or for its assertion (RFC 6749 section 4.4, RFC 7523 section 2.1).
 * Each renewal needs the proof again, so a refresh token is not stored. @param assertion exchanged for the tokens
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
export async function grantTokens(
  { tokenEndpoint, resource, scope }: Pick<LoginRecord, "tokenEndpoint" | "resource" | "scope">,
  client: OauthClient,
  assertion: string | undefined,
  requests: OauthRequests,
  clock: Clock = Date.now,
): Promise<Tokens> {
  const grant =
    assertion === undefined
      ? { grant_type: "client_credentials" }
      : { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  const form = {
    ...grant,
    resource,
    ...(scope === undefined ? {} : { scope }),
  };
  const tokens = await ask(tokenEndpoint, client, form, requests, clock);
  const { refreshToken: _, ...kept } = tokens;
  return kept;
}

/** The names of kinds of tokens (RFC 8693 section 3). */
export const tokenTypes = {
  access: "urn:ietf:params:oauth:token-type:access_token",
  jwt: "urn:ietf:params:oauth:token-type:jwt",
  id: "urn:ietf:params:oauth:token-type:id_token",
  identityGrant: "urn:ietf:params:oauth:token-type:id-jag",
} as const;

/** A token about a person that is traded for another. */
export interface SubjectToken {
  readonly token: string;
  readonly type: (typeof tokenTypes)[keyof typeof tokenTypes];
}

/**
 * Exchanges a token about a person for one of a resource (RFC 8693). A refresh token is not stored: the person comes with
 * the next call.
 * @throws OauthError, OauthUnreachable, AppError `refused`
 */
export async function exchangeToken(
  { tokenEndpoint, resource, scope }: Pick<LoginRecord, "tokenEndpoint" | "resource" | "scope">,
  client: OauthClient,
  subject: SubjectToken,
  requests: OauthRequests,
  clock: Clock = Date.now,
): Promise<Tokens> {
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: subject.token,
    subject_token_type: subject.type,
    requested_token_type: tokenTypes.access,
    resource,
    ...(scope === undefined ? {} : { scope }),
  };
  const check = ({ issued_token_type: type }: Params): void => {
    if (type === tokenTypes.access || type === tokenTypes.jwt) return;
    throw refusal("The authorization server did not return the requested kind of token.");
  };
  const tokens = await ask(tokenEndpoint, client, form, requests, clock, check);
  const { refreshToken: _, ...kept } = tokens;
  return kept;
}

/** Revokes a token. False when the server did not. @throws OauthUnreachable, AppError `refused` */
export async function revokeToken(
  endpoint: string,
  client: OauthClient,
  token: string,
  kind: "access_token" | "refresh_token",
  requests: OauthRequests,
): Promise<boolean> {
  const form = new URLSearchParams({ token, token_type_hint: kind });
  const headers = await authorize(client, form);
  const { status } = await requests.post(endpoint, form, headers, "The revocation of tokens");
  return status === 200 || status === 204;
}

async function ask(
  endpoint: string,
  client: OauthClient,
  fields: Readonly<Record<string, string>>,
  requests: OauthRequests,
  clock: Clock,
  check: (body: Params) => void = () => {},
): Promise<Tokens> {
  const form = new URLSearchParams(fields);
  const headers = await authorize(client, form);
  const { status, body } = await requests.post(endpoint, form, headers, "The token endpoint");
  if (status !== 200 || body === undefined) throw errorOf(status, body);
  check(body);
  return readTokens(body, clock());
}

/** Adds the client's authentication to the form, or returns headers with it. */
export async function authorize(
  { clientId, clientSecret, authMethod, assertion }: OauthClient,
  form: URLSearchParams,
): Promise<Readonly<Record<string, string>>> {
  if (authMethod === "client_secret_basic" && clientSecret !== undefined) {
    const pair = [clientId, clientSecret].map(formEncoded).join(":");
    return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  }
  form.set("client_id", clientId);
  if (authMethod === "client_secret_post" && clientSecret !== undefined) {
    form.set("client_secret", clientSecret);
  }
  if (authMethod === "private_key_jwt" && assertion !== undefined) {
    form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    form.set("client_assertion", await assertion());
  }
  return {};
}

/** RFC 6749 section 2.3.1. */
function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function readTokens(body: Params, now: number): Tokens {
  const { access_token: access, refresh_token: refresh, token_type: type } = body;
  if (!isToken(access)) throw refusal("The token endpoint gave no usable token.");
  if (typeof type === "string" && type.toLowerCase() !== "bearer") {
    throw refusal("The token endpoint gave a token that is not a Bearer token.");
  }
  const seconds = Number(body.expires_in);
  const hasEnd = body.expires_in !== undefined && seconds > 0 && seconds < 1e9;
  return {
    accessToken: access,
    issuedAt: now,
    ...(isToken(refresh) ? { refreshToken: refresh } : {}),
    ...(hasEnd ? { expiresAt: now + seconds * 1000 } : {}),
  };
}

/** Whether the value is a token that fits into a header. */
export function isToken(token: unknown): token is string {
  return (
    typeof token === "string" && token.length <= oauthTokenCharsMax && /^[\x21-\x7e]+$/.test(token)
  );
}
