import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { OauthClient } from "./client-registration.ts";

/** A login as it is kept: tokens, and all that a refresh needs without looking anything up again (OA6). */
export interface LoginRecord {
  readonly issuer: string;
  /** What the tokens are for. */
  readonly resource: string;
  readonly client: OauthClient;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** Where the browser was sent back to; a registration holds for it. Absent: there was none. */
  readonly redirectUri?: string;
  /** What was asked for. */
  readonly scope?: string;
  /** Absent: the refresh was refused, and the user has to log in again. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  /** Absent: it was not said. */
  readonly expiresAt?: number;
}

export function printRecord(record: LoginRecord): string {
  return JSON.stringify({ version: 1, ...record });
}

/** Undefined for what we have not written. */
export function parseRecord(text: string): LoginRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value.version !== 1 || !isObject(value.client)) return undefined;
    const texts: readonly (keyof Params)[] = ["issuer", "resource", "tokenEndpoint"];
    const isWhole =
      texts.every((name) => typeof value[name] === "string") &&
      typeof value.client.clientId === "string" &&
      typeof value.issuedAt === "number";
    const { version: _version, ...record } = value;
    // Written by this program, into a store of this user alone.
    return isWhole ? (record as unknown as LoginRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** What must not be seen in any text. */
export function secretsOfRecord({
  accessToken,
  refreshToken,
  client,
}: LoginRecord): readonly string[] {
  const { clientSecret, registration } = client;
  const all = [accessToken, refreshToken, clientSecret, registration?.token];
  return all.filter((secret) => secret !== undefined);
}
