import { mkdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { loginsFileName } from "../../base/own-files.ts";
import { isObject, ownValue } from "../../base/values.ts";
import { oauthLoginsBytesMax } from "../../base/upstream-limits.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { OauthClient } from "./client-registration.ts";

/** The login for one server, without secrets. */
export interface LoginEntry {
  /** Unique for each login, even of the same user. */
  readonly id: string;
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** The grant of its place. */
  readonly grant?: string;
}

/** A server's demands when it refused a request, for the next login. */
export interface WantedLogin {
  readonly scope?: string;
  readonly resourceMetadata?: string;
}

export interface Logins {
  readonly entries: ReadonlyMap<string, LoginEntry>;
  readonly wanted: ReadonlyMap<string, WantedLogin>;
}

const none: Logins = { entries: new Map(), wanted: new Map() };

/** `logins.json`: the servers with logins. All processes read it again when it has changed. */
export class LoginsFile {
  readonly path: string;
  #logins: Logins = none;
  #stamp: string | undefined;

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string) {
    this.path = join(scorpioxDir, loginsFileName);
  }

  /** Never rejects: an unusable file has no logins. */
  async read(): Promise<Logins> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true });
      const stamp = [ino, size, mtimeNs, ctimeNs].join();
      if (stamp === this.#stamp) return this.#logins;
      this.#logins = size > oauthLoginsBytesMax ? none : parse(await readFile(this.path, "utf8"));
      this.#stamp = stamp;
    } catch (error) {
      this.#logins = none;
      this.#stamp = systemCodeOf(error) ?? "damaged";
    }
    return this.#logins;
  }

  /** @throws AppError `system` */
  async change(act: (logins: Logins) => Logins): Promise<void> {
    await withFileLock(this.path, async () => {
      this.#stamp = undefined;
      const before = await this.read();
      const after = act(before);
      if (after === before) return;
      try {
        mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
        removeLeftDrafts(this.path);
        replaceFile(this.path, print(after), 0o600);
      } catch (error) {
        throw new AppError("system", `${this.path} cannot be written: ${messageOf(error)}.`);
      }
      this.#stamp = undefined;
    });
  }
}

function print({ entries, wanted }: Logins): string {
  const value = { entries: Object.fromEntries(entries), wanted: Object.fromEntries(wanted) };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function parse(text: string): Logins {
  const value: unknown = JSON.parse(text);
  const { entries, wanted } = isObject(value) ? value : {};
  return {
    entries: new Map(itemsOf(entries).filter(isEntry)),
    wanted: new Map(itemsOf(wanted)),
  };
}

function itemsOf(value: unknown): readonly (readonly [string, Params])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).filter((pair): pair is [string, Params] => isObject(pair[1]));
}

function isEntry(pair: readonly [string, Params]): pair is readonly [string, Params & LoginEntry] {
  const { id, issuer, resource, clientId } = pair[1];
  return [id, issuer, resource, clientId].every((text) => typeof text === "string");
}

/** A stored login: its tokens, and everything that a refresh needs without another discovery (OA6). */
export interface LoginRecord {
  readonly issuer: string;
  /** The resource of the tokens. */
  readonly resource: string;
  readonly client: OauthClient;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** The redirect address of the browser; a registration is for it. Absent without a browser. */
  readonly redirectUri?: string;
  /** The requested scopes. */
  readonly scope?: string;
  /** Absent after a refused refresh: the user must log in again. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  /** Absent when the server gave none. */
  readonly expiresAt?: number;
}

export function printRecord(record: LoginRecord): string {
  return JSON.stringify({ version: 1, ...record });
}

/** Undefined for a text that scorpiox-code did not write. */
export function parseLoginRecord(text: string): LoginRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value.version !== 1 || !isObject(value.client)) return undefined;
    const texts: readonly (keyof Params)[] = ["issuer", "resource", "tokenEndpoint"];
    const isWhole =
      texts.every((name) => typeof value[name] === "string") &&
      typeof value.client.clientId === "string" &&
      typeof value.issuedAt === "number";
    const { version: _version, ...record } = value;
    // Only this program writes it, into a store that is private to the user.
    return isWhole ? ownValue(record) : undefined;
  } catch {
    return undefined;
  }
}

/** Secrets that must not appear in any text. */
export function secretsOfRecord({
  accessToken,
  refreshToken,
  client,
}: LoginRecord): readonly string[] {
  const { clientSecret, registration } = client;
  const all = [accessToken, refreshToken, clientSecret, registration?.token];
  return all.filter((secret) => secret !== undefined);
}
