import { join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { userLoginsFolderName } from "../../base/own-files.ts";
import type { ServerEntry } from "../config/server-entry.ts";
import type { ExpansionContext } from "../config/text-expander.ts";
import { loginRoads } from "../oauth/login-store.ts";
import { userKeychain } from "../secrets/user-secrets.ts";
import type { OwnedServer } from "../user-logins/owned-server.ts";
import type { TradedLogins } from "../user-logins/traded-logins.ts";
import type { UserLogins } from "../user-logins/user-logins.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

/** The name of the key in the keychain. */
const keyName = "secrets-key";

/** The logins of the principals of one server: they log in, or their own tokens are traded. */
export type ServerUserLogins = UserLogins | TradedLogins;

/** The logins of principals; nothing of them is loaded before an entry asks for them. */
export class LazyUserLogins {
  readonly #options: UpstreamOptions;
  readonly #expansion: ExpansionContext;
  #opening: Promise<UserLogins | string> | undefined;
  #trading: Promise<TradedLogins> | undefined;
  /** Set by the manager: the servers with logins of principals, for one of them. */
  serversOf: (owner: string) => readonly OwnedServer[] = () => [];

  constructor(options: UpstreamOptions, expansion: ExpansionContext) {
    this.#options = options;
    this.#expansion = expansion;
  }

  /** The logins of principals, or the reason why none can be kept: present only where an entry has asked for it. */
  get opened(): Promise<UserLogins | string> | undefined {
    return this.#opening;
  }

  /** A text: the reason why no login can be kept, and what to do. Never rejects. */
  open({ options }: Pick<ServerEntry, "options">): Promise<ServerUserLogins | string> {
    return options.oauth?.perUser?.trade === undefined ? this.#openKept() : this.#openTraded();
  }

  /** Tokens that are traded are not kept: there is no need of a key. */
  #openTraded(): Promise<TradedLogins> {
    this.#trading ??= import("../user-logins/traded-logins.ts").then(
      ({ TradedLogins: Traded }) => new Traded(loginRoads(this.#options.env), this.#expansion),
    );
    return this.#trading;
  }

  async #openKept(): Promise<UserLogins | string> {
    this.#opening ??= this.#open();
    const opened = await this.#opening;
    // The key may be there at the next look.
    if (typeof opened === "string") this.#opening = undefined;
    return opened;
  }

  async #open(): Promise<UserLogins | string> {
    const { dirs, env, userLogins: { origin, engine, keys: given, fault } = {} } = this.#options;
    if (fault !== undefined) return fault;
    if (origin === undefined) return originAdvice;
    try {
      const text = given ?? (await this.#keyOfKeychain());
      if (text === undefined) return keyAdvice;
      const place = given === undefined ? `${keyName} in the keychain` : "SECRETS_KEY";
      const { openUserLogins } = await import("../user-logins/user-logins.ts");
      return await openUserLogins({
        engine,
        folder: join(dirs.scorpioxDir, userLoginsFolderName),
        keys: { text, place },
        roads: loginRoads(env),
        origin,
        expansion: this.#expansion,
        servers: (owner) => this.serversOf(owner),
      });
    } catch (error) {
      return messageOf(error);
    }
  }

  async #keyOfKeychain(): Promise<string | undefined> {
    const { dirs, env } = this.#options;
    const keychain = userKeychain(dirs, env);
    return (await keychain?.isThere()) === true ? keychain?.get(keyName) : undefined;
  }
}

const keyAdvice =
  "Tokens of users are kept encrypted only, and there is no key for that. Make one with: openssl rand -base64 32. Name its " +
  "file with SECRETS_KEY_FILE, or give it as the systemd credential secrets-key or as secrets-key in the keychain.";

const originAdvice =
  "Users log in with a browser, which comes back to this server: say with --resource how it is reached, such as https://mcp.example.com/mcp.";
