import { messageOf } from "../../base/errors.ts";
import { oauthRefreshAtShare, oauthRefreshPauseMs } from "../../base/upstream-limits.ts";
import { ConnectionError, type ServerAuth } from "../connect/connection.ts";
import { readChallenge } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import { type LoginEntry, type LoginRecord, secretsOfRecord } from "./logins-file.ts";
import { isSafe, type LoginPlace, OauthError } from "./oauth-reach.ts";
import { OauthRequests } from "./oauth-requests.ts";
import { refreshTokens } from "./token-endpoint.ts";

interface Known {
  readonly entry: LoginEntry;
  readonly record: LoginRecord;
}

/** The part of a store of logins that a running server uses. */
export type KeptLogins = Pick<
  LoginStore,
  "entry" | "record" | "note" | "renewing" | "keep" | "roads"
>;

/** The login of a running server: its current tokens, which one process renews for all (OA6, OA8). */
export class ServerLogin implements ServerAuth {
  readonly #place: LoginPlace;
  readonly #store: KeptLogins;
  readonly #clock: () => number;
  readonly #url: URL;
  #known: Known | undefined;
  #renewing: Promise<Known | undefined> | undefined;
  /** After a temporary failure, not every request tries the renewal again. */
  #failedAt = Number.NEGATIVE_INFINITY;
  #secrets: readonly string[] = [];

  /** @param clock milliseconds since 1970 */
  constructor(place: LoginPlace, store: KeptLogins, clock: () => number = Date.now) {
    this.#place = place;
    this.#store = store;
    this.#clock = clock;
    this.#url = new URL(place.url);
  }

  /** Secrets that must not appear in any text; the same array until they change. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  async token(target: string | URL): Promise<string | undefined> {
    const { origin } = new URL(target);
    if (origin !== this.#url.origin || !isSafe(this.#url)) return undefined;
    const known = await this.#current();
    if (known === undefined || !this.#isDue(known.record)) return known?.record.accessToken;
    return (await this.#renewWhenDue(known))?.record.accessToken;
  }

  async refused(response: Response, used: string | undefined): Promise<boolean> {
    // Another process may have renewed it, or the user may have logged in.
    this.#known = undefined;
    const known = await this.#current();
    const { record } = known ?? {};
    if (record?.accessToken !== undefined && record.accessToken !== used) return true;
    if (response.status === 401 && known !== undefined && this.#mayRenew(known.record)) {
      const renewed = await this.#renew(known);
      const token = renewed?.record.accessToken;
      if (token !== undefined && token !== used) return true;
    }
    const challenge = readChallenge(response.headers.get("www-authenticate"));
    await this.#store.note(this.#place, challenge).catch(() => {});
    return false;
  }

  async #current(): Promise<Known | undefined> {
    const entry = await this.#store.entry(this.#place);
    if (entry === undefined) return (this.#known = undefined);
    if (this.#known?.entry.id === entry.id) return this.#known;
    const record = await this.#record(entry);
    return record === undefined ? (this.#known = undefined) : this.#take({ entry, record });
  }

  async #record(entry: LoginEntry): Promise<LoginRecord | undefined> {
    try {
      return await this.#store.record(entry);
    } catch (error) {
      throw new ConnectionError("unreachable", `The login cannot be read: ${messageOf(error)}`);
    }
  }

  #take(known: Known): Known {
    this.#known = known;
    // Answers may still contain earlier ones.
    this.#secrets = [...new Set([...secretsOfRecord(known.record), ...this.#secrets])].slice(0, 12);
    return known;
  }

  #isDue({ accessToken, refreshToken, issuedAt, expiresAt }: LoginRecord): boolean {
    if (expiresAt === undefined || refreshToken === undefined || accessToken === undefined) {
      return false;
    }
    return this.#clock() >= issuedAt + oauthRefreshAtShare * (expiresAt - issuedAt);
  }

  /** Renews the token; a token that is still valid is used when the renewal fails. */
  async #renewWhenDue(known: Known): Promise<Known | undefined> {
    const isOver = this.#clock() >= (known.record.expiresAt ?? Number.POSITIVE_INFINITY);
    if (!isOver && this.#clock() < this.#failedAt + oauthRefreshPauseMs) return known;
    try {
      return await this.#renew(known);
    } catch (error) {
      if (isOver) throw error;
      return known;
    }
  }

  /** Whether a renewal may help: not when the server refuses a token that was just issued. */
  #mayRenew({ refreshToken, issuedAt, expiresAt }: LoginRecord): boolean {
    const from = Math.min(issuedAt + oauthRefreshPauseMs, expiresAt ?? Number.POSITIVE_INFINITY);
    return refreshToken !== undefined && this.#clock() >= from;
  }

  /** One at a time over all processes. @throws ConnectionError for a temporary reason */
  #renew(known: Known): Promise<Known | undefined> {
    this.#renewing ??= this.#renewAlone(known).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewAlone({ entry, record }: Known): Promise<Known | undefined> {
    try {
      return await this.#store.renewing(entry, async () => {
        const now = await this.#store.record(entry);
        if (now === undefined) return undefined;
        // Another process was faster.
        if (now.accessToken !== record.accessToken) return this.#take({ entry, record: now });
        return this.#take({ entry, record: await this.#refreshed(entry, now) });
      });
    } catch (error) {
      this.#failedAt = this.#clock();
      throw new ConnectionError("unreachable", `The login cannot be renewed: ${messageOf(error)}`);
    }
  }

  /** A refusal ends the login, so that no process tries that refresh token again. */
  async #refreshed(entry: LoginEntry, record: LoginRecord): Promise<LoginRecord> {
    const requests = new OauthRequests(this.#place, this.#store.roads);
    try {
      const { expiresAt: _before, ...kept } = record;
      const next = { ...kept, ...(await refreshTokens(record, requests, this.#clock)) };
      await this.#store.keep(entry, next);
      return next;
    } catch (error) {
      if (!(error instanceof OauthError) || !error.isFinal) throw error;
      const { accessToken: _access, refreshToken: _refresh, ...rest } = record;
      await this.#store.keep(entry, rest);
      return rest;
    }
  }
}
