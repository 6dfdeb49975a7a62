import { setTimeout as sleep } from "node:timers/promises";

import {
  oauthAskAgainMs,
  oauthLoginMsMax,
  userLoginAskMs,
  userLoginLookMs,
  userLoginRowsKept,
} from "../../base/upstream-limits.ts";
import type { Roads } from "../../network/route.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import type { ExpansionContext } from "../config/text-expander.ts";
import type { ServerAuth } from "../connect/connection.ts";
import type { LoginPageReply, LoginPageRequest } from "../login-page.ts";
import { configuredWish, placeOf } from "../oauth/open-login.ts";
import { ServerLogin } from "../oauth/server-login.ts";
import { LoginFlow, type LoginSubject, type SubjectWish } from "./login-flow.ts";
import { LoginVault, type SealedRows } from "./login-vault.ts";
import { OwnLogins } from "./own-logins.ts";
import { type OwnedServer, type OwnTokens, ownerName } from "./owned-server.ts";
import { PrincipalLogins } from "./principal-logins.ts";
import { RowFiles } from "./row-files.ts";
import { parseSecretsKeys } from "./secrets-keys.ts";

interface OpenUserLoginsParts extends Omit<UserLoginsParts, "vault"> {
  /** `~/.scorpiox/user-logins`: where they are kept without an engine. */
  readonly folder: string;
  readonly engine?: PostgresPlace | undefined;
  /** See `parseSecretsKeys`. */
  readonly keys: { readonly text: string; readonly place: string };
  /** Routes to authorization servers. */
  readonly roads: Roads;
}

/** The logins of principals. @throws AppError `config` for keys that cannot be used */
export async function openUserLogins({
  folder,
  engine,
  keys,
  roads,
  ...parts
}: OpenUserLoginsParts): Promise<UserLogins> {
  const vault = new LoginVault({
    rows: engine === undefined ? new RowFiles(folder) : await openEngineRows(engine),
    keys: parseSecretsKeys(keys.text, keys.place),
    roads,
    clock: Date.now,
  });
  return new UserLogins({ ...parts, vault });
}

async function openEngineRows(engine: PostgresPlace): Promise<SealedRows> {
  const { EngineRows } = await import("./engine-rows.ts");
  return new EngineRows(engine);
}

/** Puts a question to the client of a call. */
type AskClient = (request: InputRequest) => Promise<Params>;

interface UserLoginsParts {
  readonly vault: LoginVault;
  /** The origin of this server, as browsers reach it. */
  readonly origin: string;
  readonly expansion: ExpansionContext;
  /** The configured servers that have logins of principals, with their addresses for this one. */
  readonly servers: (owner: string) => readonly OwnedServer[];
}

interface Known {
  readonly logins: PrincipalLogins;
  readonly login: ServerLogin;
  /** The link that the principal was given last. */
  link?: { readonly url: string; readonly until: number };
  /** A call that asks for the login; other calls of the principal wait with it. */
  asking?: Promise<boolean> | undefined;
  declinedAt?: number;
}

/** The logins of all principals of this server to upstream servers (TM2). */
export class UserLogins implements OwnTokens {
  readonly kind = "logins";
  readonly #parts: UserLoginsParts;
  readonly #flow: LoginFlow;
  readonly #own: OwnLogins;
  readonly #known = new Map<string, Known>();

  constructor(parts: UserLoginsParts) {
    this.#parts = parts;
    const { vault, origin } = parts;
    const redirectUri = `${origin}/oauth/callback`;
    this.#flow = new LoginFlow({ vault, origin, redirectUri, wishOf: (of) => this.#wishOf(of) });
    this.#own = new OwnLogins({
      vault,
      here: new URL(origin).host,
      servers: (owner) => this.#servers(owner),
      loginsOf: (server) => this.#of(server).logins,
      link: (server) => this.link(server),
    });
  }

  auth(server: OwnedServer): ServerAuth {
    return this.#of(server).login;
  }

  secrets(server: OwnedServer): readonly string[] {
    return this.#of(server).login.secrets;
  }

  async loginId(server: OwnedServer): Promise<string | undefined> {
    const place = placeOf(server.configured, server.url);
    return (
      await this.#of(server)
        .logins.entry(place)
        .catch(() => undefined)
    )?.id;
  }

  /** The link to the page of a login; the same one until it was used. @throws AppError `system` */
  async link(server: OwnedServer): Promise<string> {
    const known = this.#of(server);
    const { clock } = this.#parts.vault;
    const { link } = known;
    // Another process may have been where it led.
    if (link !== undefined && clock() < link.until && (await this.#flow.isOpen(link.url))) {
      return link.url;
    }
    const url = await this.#flow.link(subjectOf(server), known.logins.wanted());
    // It has to work for as long as somebody needs to click on it.
    known.link = { url, until: clock() + userLoginAskMs / 2 };
    return url;
  }

  /**
   * Shows the principal's client the link, and waits for the login. False without one: the client declined, the call was
   * cancelled, or the time is over. Never rejects.
   */
  async ask(server: OwnedServer, ask: AskClient, signal: AbortSignal): Promise<boolean> {
    const known = this.#of(server);
    const { clock } = this.#parts.vault;
    const declinedAt = known.declinedAt ?? Number.NEGATIVE_INFINITY;
    if (clock() < declinedAt + oauthAskAgainMs) return false;
    const asking = (known.asking ??= this.#ask(server, known, ask, signal)
      .catch(() => false)
      .finally(() => (known.asking = undefined)));
    return asking;
  }

  /** Answers a request for one of the pages. Never rejects. */
  page(request: LoginPageRequest): Promise<LoginPageReply> {
    const { kind } = request;
    return kind === "logins" || kind === "own"
      ? this.#own.page(request)
      : this.#flow.page({ ...request, kind });
  }

  async #ask(
    server: OwnedServer,
    known: Known,
    ask: AskClient,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name } = server.configured.entry;
    const before = await this.loginId(server);
    const url = await this.link(server);
    const declined = new AbortController();
    const message = `Log in to ${name} as ${ownerName(server.owner)}. The call continues after that.`;
    const params = { mode: "url", message, url, elicitationId: crypto.randomUUID() } as const;
    ask({ method: "elicitation/create", params }).then(
      ({ action }) => {
        if (action !== "accept") declined.abort();
      },
      () => declined.abort(),
    );
    const ended = AbortSignal.any([signal, declined.signal, AbortSignal.timeout(oauthLoginMsMax)]);
    while (!ended.aborted) {
      const now = await this.loginId(server);
      if (now !== undefined && now !== before) return true;
      await sleep(userLoginLookMs, undefined, { signal: ended }).catch(() => {});
    }
    if (declined.signal.aborted) known.declinedAt = this.#parts.vault.clock();
    return false;
  }

  /** The servers at which a principal logs in: not by trading the token of its client. */
  #servers(owner: string): readonly OwnedServer[] {
    return this.#parts.servers(owner).filter(({ configured: { entry } }) => {
      const { perUser } = entry.options.oauth ?? {};
      return perUser !== undefined && perUser.trade === undefined;
    });
  }

  #of(server: OwnedServer): Known {
    const place = placeOf(server.configured, server.url);
    const { owner, configured } = server;
    const { vault } = this.#parts;
    const logins = new PrincipalLogins(vault, owner, configured.entry.name);
    const key = logins.keyOf(place);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made: Known = { logins, login: new ServerLogin(place, logins, vault.clock) };
    const [oldest] = this.#known.keys();
    if (this.#known.size >= userLoginRowsKept && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, made);
    return made;
  }

  async #wishOf({ owner, server, url }: LoginSubject): Promise<SubjectWish | undefined> {
    const found = this.#servers(owner).find(({ configured: { entry } }) => entry.name === server);
    const { perUser } = found?.configured.entry.options.oauth ?? {};
    if (found?.url !== url || perUser === undefined) return undefined;
    const wish = await configuredWish(found.configured, url, this.#parts.expansion);
    return { wish, confirm: perUser.confirm, logins: this.#of(found).logins };
  }
}

function subjectOf({ configured, url, owner }: OwnedServer): LoginSubject {
  return { owner, server: configured.entry.name, url };
}
