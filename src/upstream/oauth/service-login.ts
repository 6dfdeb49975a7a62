import { AppError, messageOf } from "../../base/errors.ts";
import { oauthRefreshAtShare, oauthRefreshPauseMs } from "../../base/upstream-limits.ts";
import { NeedsConfig } from "../config/text-expander.ts";
import { ConnectionError, type ServerAuth } from "../connect/connection.ts";
import { type Challenge, readChallenge, isSameIssuer } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import { type LoginEntry, type LoginRecord, secretsOfRecord } from "./logins-file.ts";
import { isSafe, OauthError } from "./oauth-reach.ts";
import { OauthRequests } from "./oauth-requests.ts";
import { findSource, prepareGrant, type ServiceWish, type LoginSource } from "./service-grant.ts";

/** The id of a login without a person, which stays the same when a token is renewed. */
export const serviceLoginId = "service";

interface Known {
  readonly entry: LoginEntry;
  readonly record: LoginRecord;
}

/** A login without a person: one process for all gets a token when the server wants one (OA6, OA8). */
export class ServiceLogin implements ServerAuth {
  readonly #wish: ServiceWish;
  readonly #store: LoginStore;
  readonly #clock: () => number;
  readonly #url: URL;
  #known: Known | undefined;
  #asking: Promise<LoginRecord> | undefined;
  /** A refusal or failure, so that not every request tries again. */
  #failure: { readonly error: ConnectionError; readonly at: number } | undefined;
  #secrets: readonly string[] = [];

  /** @param clock milliseconds since 1970 */
  constructor(wish: ServiceWish, store: LoginStore, clock: () => number = Date.now) {
    this.#wish = wish;
    this.#store = store;
    this.#clock = clock;
    this.#url = new URL(wish.place.url);
  }

  /** Tokens that must not appear in any text; the same array until they change. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  async token(target: string | URL): Promise<string | undefined> {
    const { origin } = new URL(target);
    if (origin !== this.#url.origin || !isSafe(this.#url)) return undefined;
    // Without a token, wait for the server's challenge, which has the scopes; many answer `initialize` without one.
    const record = (await this.#current())?.record;
    if (record === undefined || !this.#isDue(record)) return record?.accessToken;
    const isOver = this.#clock() >= (record.expiresAt ?? Number.POSITIVE_INFINITY);
    if (!isOver && this.#hasFailed()) return record.accessToken;
    try {
      return (await this.#obtain(record.accessToken, () => sourceOf(record))).accessToken;
    } catch (error) {
      // A token that is still valid is used when the renewal fails.
      if (isOver) throw error;
      return record.accessToken;
    }
  }

  async refused(response: Response, used: string | undefined): Promise<boolean> {
    this.#known = undefined;
    const record = (await this.#current())?.record;
    if (record?.accessToken !== undefined && record.accessToken !== used) return true;
    const challenge = readChallenge(response.headers.get("www-authenticate"));
    if (record !== undefined && !this.#helps(response.status, record, challenge)) return false;
    const requests = this.#requests();
    const find = (): Promise<LoginSource> =>
      findSource(this.#wish, challenge, this.#store, requests);
    return (await this.#obtain(used, find)).accessToken !== used;
  }

  /** Whether the server may accept another token where it refused this one. */
  #helps(status: number, record: LoginRecord, { scope }: Challenge): boolean {
    const { issuedAt, expiresAt } = record;
    if (status !== 401)
      return this.#wish.scopes === undefined && !coversScopes(record.scope, scope);
    // Another token does not help when the server refuses one that was just issued.
    const from = Math.min(issuedAt + oauthRefreshPauseMs, expiresAt ?? Number.POSITIVE_INFINITY);
    return this.#clock() >= from;
  }

  async #current(): Promise<Known | undefined> {
    const entry = await this.#store.entry(this.#wish.place);
    if (entry === undefined || !this.#isOfIssuer(entry)) return (this.#known = undefined);
    if (this.#known?.entry === entry) return this.#known;
    try {
      const record = await this.#store.record(entry);
      return record === undefined ? (this.#known = undefined) : this.#take({ entry, record });
    } catch (error) {
      throw new ConnectionError("unreachable", `The login cannot be read: ${messageOf(error)}`);
    }
  }

  /** The entry may name another issuer by now; the earlier one must not get a proof. */
  #isOfIssuer({ issuer }: LoginEntry): boolean {
    const { issuer: wanted } = this.#wish;
    return wanted === undefined || isSameIssuer(issuer, wanted);
  }

  #take(known: Known): Known {
    this.#known = known;
    // Answers may still contain earlier ones.
    this.#secrets = [...new Set([...secretsOfRecord(known.record), ...this.#secrets])].slice(0, 12);
    return known;
  }

  #isDue({ issuedAt, expiresAt }: LoginRecord): boolean {
    if (expiresAt === undefined) return false;
    return this.#clock() >= issuedAt + oauthRefreshAtShare * (expiresAt - issuedAt);
  }

  #hasFailed(): boolean {
    return this.#failure !== undefined && this.#clock() < this.#failure.at + oauthRefreshPauseMs;
  }

  #requests(): OauthRequests {
    return new OauthRequests(this.#wish.place, this.#store.roads);
  }

  /**
   * Gets a token other than `used`. One at a time over all processes. @throws ConnectionError `needs_auth` after a
   * refusal, `unreachable` for a temporary reason
   */
  #obtain(
    used: string | undefined,
    find: () => Promise<LoginSource> | LoginSource,
  ): Promise<LoginRecord> {
    this.#asking ??= this.#ask(used, find).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(
    used: string | undefined,
    find: () => Promise<LoginSource> | LoginSource,
  ): Promise<LoginRecord> {
    if (this.#hasFailed() && this.#failure?.error.failure === "needs_auth") {
      throw this.#failure.error;
    }
    const { place } = this.#wish;
    try {
      // This takes several requests, so it runs outside of the lock.
      const source = await find();
      const grant = await prepareGrant(source, this.#wish, this.#requests(), this.#clock);
      const record = await this.#store.alone(place, async () => {
        const entry = await this.#store.entry(place);
        const now = entry === undefined ? undefined : await this.#store.record(entry);
        return now !== undefined && this.#isBetter(now, used, source)
          ? now
          : this.#keep(await grant());
      });
      const entry = await this.#store.entry(place);
      this.#failure = undefined;
      return entry === undefined ? record : this.#take({ entry, record }).record;
    } catch (error) {
      const failure = asConnectionError(error);
      this.#failure = { error: failure, at: this.#clock() };
      throw failure;
    }
  }

  /** Whether another process has already got a usable token. */
  #isBetter(now: LoginRecord, used: string | undefined, source: LoginSource): boolean {
    return (
      now.accessToken !== used &&
      now.issuer === source.issuer &&
      coversScopes(now.scope, source.scope) &&
      !this.#isDue(now)
    );
  }

  async #keep(record: LoginRecord): Promise<LoginRecord> {
    const { place } = this.#wish;
    const entry = await this.#store.entry(place);
    const isSame = entry?.issuer === record.issuer && entry.resource === record.resource;
    // A renewed token keeps the id of its login, so its connections stay.
    if (entry !== undefined && isSame) await this.#store.keep(entry, record);
    else await this.#store.add(place, record, serviceLoginId);
    return record;
  }
}

/**
 * Gets a token even if there is one; running servers reconnect with it.
 * @throws AppError `refused`, `system`; OauthError; OauthUnreachable; NeedsConfig
 */
export async function logInAsService(
  wish: ServiceWish,
  store: LoginStore,
  signal: AbortSignal,
): Promise<LoginRecord> {
  const requests = new OauthRequests(wish.place, store.roads, signal);
  const source = await findSource(wish, await store.wanted(wish.place), store, requests);
  const record = await (await prepareGrant(source, wish, requests, Date.now))();
  await store.add(wish.place, record);
  return record;
}

function sourceOf(record: LoginRecord): LoginSource {
  const {
    accessToken: _access,
    refreshToken: _refresh,
    issuedAt: _at,
    expiresAt: _end,
    ...source
  } = record;
  return source;
}

/** Whether the granted scopes include all wanted ones. */
function coversScopes(had: string | undefined, wanted: string | undefined): boolean {
  const all = new Set(had?.split(" "));
  return (wanted ?? "").split(" ").every((scope) => scope === "" || all.has(scope));
}

function asConnectionError(error: unknown): ConnectionError {
  const isFinal =
    (error instanceof OauthError && error.isFinal) ||
    (error instanceof AppError && error.code === "refused") ||
    error instanceof NeedsConfig;
  return isFinal
    ? new ConnectionError("needs_auth", `The server wants a login. ${error.message}`)
    : new ConnectionError("unreachable", `Cannot log in: ${messageOf(error)}`);
}
