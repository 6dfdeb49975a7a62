import { messageOf } from "../../base/errors.ts";
import type { HttpSettings } from "../../cli/http-settings.ts";
import { takeSecret } from "../../config/take-secret.ts";
import { parseResource } from "../../server/auth/create-auth.ts";
import { isLoopbackHost } from "../../server/auth/listen-policy.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import type { UserLoginsOptions } from "../../upstream/worker/upstream-options.ts";
import type { ToolServicesOptions } from "../program-parts.ts";

/** The addresses of a server over HTTP, which are known once it listens: before its first request. */
export class OwnAddresses {
  readonly #settings: HttpSettings;
  readonly #listensAt: () => URL | undefined;
  readonly #engine: PostgresPlace | undefined;

  /**
   * @param engine keeps the logins of principals; undefined: files of this machine
   * @param listensAt undefined before it listens
   */
  constructor(
    settings: HttpSettings,
    engine: PostgresPlace | undefined,
    listensAt: () => URL | undefined,
  ) {
    this.#settings = settings;
    this.#engine = engine;
    this.#listensAt = listensAt;
  }

  /** For the part that runs upstream servers. */
  get forServers(): Pick<ToolServicesOptions, "ownUrl" | "userLogins"> {
    return {
      ownUrl: () => {
        const url = this.#listensAt();
        return url === undefined ? undefined : new URL(this.#settings.path, url).href;
      },
      userLogins: () => this.#userLogins(),
    };
  }

  /** The origin at which browsers reach this server; undefined when only the operator could know. */
  get origin(): string | undefined {
    const { resource, host } = this.#settings;
    if (resource !== undefined) return new URL(parseResource(resource)).origin;
    return isLoopbackHost(host) ? this.#listensAt()?.origin : undefined;
  }

  /** For logins of principals. A key that cannot be read is reported by an entry that wants it. */
  #userLogins(): UserLoginsOptions {
    const { origin } = this;
    try {
      return { origin, engine: this.#engine, keys: takeSecret("SECRETS_KEY") };
    } catch (error) {
      return { origin, fault: messageOf(error) };
    }
  }
}
