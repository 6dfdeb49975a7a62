import { userLoginRowsKept } from "../../base/upstream-limits.ts";
import type { Roads } from "../../network/route.ts";
import { expandTradeClient } from "../config/service-client.ts";
import { type ExpansionContext, TextExpander } from "../config/text-expander.ts";
import type { ServerAuth } from "../connect/connection.ts";
import { placeOf } from "../oauth/open-login.ts";
import type { TradeWish } from "../oauth/trade-identity.ts";
import type { OwnedServer, OwnTokens } from "./owned-server.ts";
import { TradedLogin } from "./traded-login.ts";

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
