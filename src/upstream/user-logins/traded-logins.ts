import { AppError, messageOf } from "../../base/errors.ts";
import {
  oauthRefreshAtShare,
  oauthRefreshPauseMs,
  userLoginRowsKept,
} from "../../base/upstream-limits.ts";
import type { Roads } from "../../network/route.ts";
import { expandTradeClient } from "../config/service-client.ts";
import { type ExpansionContext, NeedsConfig, TextExpander } from "../config/text-expander.ts";
import { ConnectionError, type ServerAuth } from "../connect/connection.ts";
import { readChallenge } from "../oauth/discover.ts";
import { isSafe, OauthError } from "../oauth/oauth-reach.ts";
import { OauthRequests } from "../oauth/oauth-requests.ts";
import { placeOf } from "../oauth/open-login.ts";
import type { Tokens } from "../oauth/token-endpoint.ts";
import { tradeIdentity, type TradeWish } from "../oauth/service-grant.ts";
import type { OwnedServer, OwnTokens } from "./owned-server.ts";

/**
 * The tokens of one principal for one server, for which the token is traded with which the principal has come. They are
 * in memory only: there is another one whenever the principal calls. The server never gets the principal's own.
 */
class TradedLogin implements ServerAuth {
  readonly #wish: TradeWish;
  readonly #roads: Roads;
  readonly #clock: () => number;
  readonly #url: URL;
  /** With which the principal has come last. */
  #identity: string | undefined;
  #tokens: Tokens | undefined;
  #trading: Promise<Tokens> | undefined;
  #secrets: readonly string[] = [];

  /** @param clock milliseconds since 1970 */
  constructor(wish: TradeWish, roads: Roads, clock: () => number) {
    this.#wish = wish;
    this.#roads = roads;
    this.#clock = clock;
    this.#url = new URL(wish.place.url);
  }

  /** Texts that must not appear anywhere; the same array until they change. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** @param identity the signed token of the call that is made now; undefined: it came without one */
  offer(identity: string | undefined): void {
    if (identity === this.#identity) return;
    this.#identity = identity;
    this.#hide(identity);
  }

  async token(target: string | URL): Promise<string | undefined> {
    const { origin } = new URL(target);
    if (origin !== this.#url.origin || !isSafe(this.#url)) return undefined;
    const tokens = this.#tokens;
    if (tokens !== undefined && !this.#isDue(tokens)) return tokens.accessToken;
    return (await this.#trade()).accessToken;
  }

  async refused(response: Response, used: string | undefined): Promise<boolean> {
    const { scope } = readChallenge(response.headers.get("www-authenticate"));
    if (this.#tokens?.accessToken !== used && this.#tokens !== undefined) return true;
    // Another token does not help when the server refuses one that was just issued, unless it has more rights.
    const isNew = this.#clock() < (this.#tokens?.issuedAt ?? 0) + oauthRefreshPauseMs;
    const wantsMore = response.status === 403 && scope !== undefined;
    if (isNew && !wantsMore) return false;
    return (await this.#trade(scope)).accessToken !== used;
  }

  #isDue({ issuedAt, expiresAt }: Tokens): boolean {
    if (expiresAt === undefined) return false;
    return this.#clock() >= issuedAt + oauthRefreshAtShare * (expiresAt - issuedAt);
  }

  /** One at a time. @throws ConnectionError */
  #trade(scope?: string): Promise<Tokens> {
    this.#trading ??= this.#tradeNow(scope).finally(() => (this.#trading = undefined));
    return this.#trading;
  }

  async #tradeNow(scope: string | undefined): Promise<Tokens> {
    const identity = this.#identity;
    if (identity === undefined) throw new ConnectionError("needs_auth", noIdentity);
    const requests = new OauthRequests(this.#wish.place, this.#roads);
    try {
      const tokens = await tradeIdentity(this.#wish, identity, scope, requests, this.#clock);
      this.#tokens = tokens;
      this.#hide(tokens.accessToken);
      return tokens;
    } catch (error) {
      throw asConnectionError(error);
    }
  }

  #hide(secret: string | undefined): void {
    if (secret === undefined) return;
    this.#secrets = [...new Set([secret, ...this.#secrets])].slice(0, 12);
  }
}

const noIdentity =
  "The token of the client is traded for one of the server, which works for signed tokens only (--jwks).";

function asConnectionError(error: unknown): ConnectionError {
  const isFinal =
    (error instanceof OauthError && error.isFinal) ||
    (error instanceof AppError && error.code === "refused") ||
    error instanceof NeedsConfig;
  return isFinal
    ? new ConnectionError("needs_auth", error.message)
    : new ConnectionError("unreachable", `Cannot log in: ${messageOf(error)}`);
}

/** The tokens of all principals at servers whose entry trades identities (`oauth.grant`). */
export class TradedLogins implements OwnTokens {
  readonly kind = "traded";
  readonly #roads: Roads;
  readonly #expansion: ExpansionContext;
  readonly #logins = new Map<string, TradedLogin>();

  /** @param roads routes to authorization servers */
  constructor(roads: Roads, expansion: ExpansionContext) {
    this.#roads = roads;
    this.#expansion = expansion;
  }

  auth(server: OwnedServer): ServerAuth {
    return this.#of(server);
  }

  secrets(server: OwnedServer): readonly string[] {
    return this.#of(server).secrets;
  }

  /** There is nothing to wait for: each call brings what is traded. */
  loginId(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @param identity the signed token with which the principal has come */
  offer(server: OwnedServer, identity: string | undefined): void {
    this.#of(server).offer(identity);
  }

  #of(server: OwnedServer): TradedLogin {
    const { configured, url, owner } = server;
    const key = JSON.stringify([configured.entry.name, url, owner, configured.entry.options.oauth]);
    const known = this.#logins.get(key);
    if (known !== undefined) return known;
    const made = new TradedLogin(this.#wishOf(server), this.#roads, Date.now);
    const [oldest] = this.#logins.keys();
    if (this.#logins.size >= userLoginRowsKept && oldest !== undefined) this.#logins.delete(oldest);
    this.#logins.set(key, made);
    return made;
  }

  #wishOf({ configured, url }: OwnedServer): TradeWish {
    const oauth = configured.entry.options.oauth ?? {};
    const { scopes, issuer = "", perUser } = oauth;
    const context = this.#expansion;
    return {
      place: placeOf(configured, url),
      grant: perUser?.trade?.grant ?? "token-exchange",
      issuer,
      ...(scopes === undefined ? {} : { scopes }),
      // Expanded for each use, so that a replaced secret takes effect at once.
      client: () => expandTradeClient(oauth, new TextExpander(configured, context), context),
    };
  }
}
