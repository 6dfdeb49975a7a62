import { randomBytes } from "node:crypto";

import { messageOf } from "../../base/errors.ts";
import { userLoginAskMs } from "../../base/upstream-limits.ts";
import type { LoginPageReply, LoginPageRequest } from "../login-page.ts";
import { logOut } from "../oauth/log-in.ts";
import { placeOf } from "../oauth/open-login.ts";
import { type LoginVault, rowKeyOf } from "./login-vault.ts";
import { type OwnedServer, ownerName } from "./owned-server.ts";
import { askTokenPage, messagePage, type OwnLoginRow, ownLoginsPage } from "./page-html.ts";
import type { PrincipalLogins } from "./principal-logins.ts";

export interface OwnLoginsParts {
  readonly vault: LoginVault;
  /** The host of this server, as browsers reach it. */
  readonly here: string;
  /** The servers at which a principal logs in. */
  readonly servers: (owner: string) => readonly OwnedServer[];
  readonly loginsOf: (server: OwnedServer) => PrincipalLogins;
  /** A link to the page of a login. @throws AppError `system` */
  readonly link: (server: OwnedServer) => Promise<string>;
}

interface EndingRow {
  /** The id of the principal, and the name of the server's entry. */
  readonly owner: string;
  readonly server: string;
}

/**
 * The page on which a person with a token of this server sees the own logins, begins and ends them (TM2). The token is asked
 * for each time: no cookie stands for a principal.
 */
export class OwnLogins {
  readonly #parts: OwnLoginsParts;

  constructor(parts: OwnLoginsParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async page(request: LoginPageRequest): Promise<LoginPageReply> {
    try {
      return await this.#page(request);
    } catch (error) {
      return { status: 502, html: messagePage("Your logins cannot be read", messageOf(error)) };
    }
  }

  async #page({ kind, fields, proven, servers }: LoginPageRequest): Promise<LoginPageReply> {
    const { here } = this.#parts;
    if (kind === "logins") return { status: 200, html: askTokenPage(here) };
    const ending = new URLSearchParams(fields).get("ending");
    if (ending !== null) return this.#end(ending);
    if (proven === undefined) {
      return { status: 403, html: askTokenPage(here, `That is not a token of ${here}.`) };
    }
    return {
      status: 200,
      html: ownLoginsPage(ownerName(proven), await this.#rows(proven, servers)),
    };
  }

  async #rows(
    owner: string,
    visible: readonly string[] | undefined,
  ): Promise<readonly OwnLoginRow[]> {
    const own = this.#parts.servers(owner).filter(({ configured: { entry } }) => {
      return visible === undefined || visible.includes(entry.name);
    });
    return Promise.all(own.map((server) => this.#row(server)));
  }

  async #row(server: OwnedServer): Promise<OwnLoginRow> {
    const { loginsOf, link } = this.#parts;
    const { configured, url } = server;
    const since = await loginsOf(server).since(placeOf(configured, url));
    return {
      server: configured.entry.name,
      host: new URL(url).host,
      link: await link(server),
      ...(since !== undefined && { login: { since, ending: await this.#ending(server) } }),
    };
  }

  async #ending({ owner, configured }: OwnedServer): Promise<string> {
    const secret = randomBytes(32).toString("base64url");
    const value: EndingRow = { owner, server: configured.entry.name };
    await this.#parts.vault.putFor("ending", secret, value, userLoginAskMs, value);
    return secret;
  }

  async #end(secret: string): Promise<LoginPageReply> {
    const { vault, servers, loginsOf } = this.#parts;
    const row = (await vault.take<EndingRow>("ending", rowKeyOf("ending", secret)))?.value;
    const meant = servers(row?.owner ?? "").find(
      ({ configured: { entry } }) => entry.name === row?.server,
    );
    if (row === undefined || meant === undefined) {
      const text = "It was used, or is too old. Open the page of your logins again.";
      return { status: 410, html: messagePage("This button does not work any more", text) };
    }
    const place = placeOf(meant.configured, meant.url);
    const signal = AbortSignal.timeout(userLogoutMsMax);
    const { isRevoked } = await logOut(place, loginsOf(meant), signal);
    const revoked = isRevoked ? " Its tokens were revoked." : "";
    const text = `${ownerName(row.owner)} is logged out of ${row.server}.${revoked}`;
    return { status: 200, html: messagePage("Logged out", text) };
  }
}

/** The login is deleted at once; its authorization server may take its time. */
const userLogoutMsMax = 10_000;
