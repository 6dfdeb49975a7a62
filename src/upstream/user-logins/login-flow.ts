import { randomBytes, timingSafeEqual } from "node:crypto";

import { sha256Name } from "../../base/digests.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { oauthLoginMsMax, userLoginAskMs } from "../../base/upstream-limits.ts";
import type { LoginPageReply, LoginPageRequest } from "../login-page.ts";
import { readCode } from "../oauth/authorization-request.ts";
import type { KnownClient } from "../oauth/client-registration.ts";
import type { Challenge } from "../oauth/discover.ts";
import { OauthError } from "../oauth/oauth-reach.ts";
import { OauthRequests } from "../oauth/oauth-requests.ts";
import {
  completeLogin,
  findLogin,
  type FoundLogin,
  type LoginWish,
  planLogin,
  type PlannedLogin,
} from "../oauth/plan-login.ts";
import { type LoginVault, rowKeyOf } from "./login-vault.ts";
import { ownerName } from "./owned-server.ts";
import { confirmPage, messagePage } from "./page-html.ts";
import type { PrincipalLogins } from "./principal-logins.ts";

/** One principal and the upstream server that it wants to use. */
export interface LoginSubject {
  /** The id of the principal. */
  readonly owner: string;
  /** The name of the server's entry, and its address for this principal. */
  readonly server: string;
  readonly url: string;
}

/** How a subject logs in, by the entry as it is now. */
export interface SubjectWish {
  readonly wish: LoginWish;
  readonly confirm: "click" | "token";
  readonly logins: PrincipalLogins;
}

export interface LoginFlowParts {
  readonly vault: LoginVault;
  /** The origin of this server, as browsers reach it. */
  readonly origin: string;
  /** The address to which browsers come back. */
  readonly redirectUri: string;
  /** Undefined when the entry is no longer for this. @throws AppError `config` */
  readonly wishOf: (subject: LoginSubject) => Promise<SubjectWish | undefined>;
}

/** A request for a page of one login. */
type FlowRequest = LoginPageRequest & { readonly kind: "show" | "begin" | "callback" };

interface RequestRow extends LoginSubject {
  readonly wanted: Challenge;
}

interface AttemptRow extends LoginSubject {
  readonly plan: PlannedLogin;
  /** A digest of the secret of the browser that began it. */
  readonly browser: string;
}

/**
 * The way of a principal's login through a browser that may be anywhere (TM2): a link with a secret that works once, a
 * page that names the principal, the authorization server, and back to this server. Nothing of it is in memory, so any
 * process with the same rows goes on with it.
 */
export class LoginFlow {
  readonly #parts: LoginFlowParts;

  constructor(parts: LoginFlowParts) {
    this.#parts = parts;
  }

  /** A new link to the page of a login, for one use within `userLoginAskMs`. @throws AppError `system` */
  async link(subject: LoginSubject, wanted: Challenge): Promise<string> {
    const { vault, origin } = this.#parts;
    const secret = randomBytes(32).toString("base64url");
    const value: RequestRow = { ...subject, wanted };
    await vault.putFor("request", secret, subject, userLoginAskMs, value);
    return `${origin}/oauth/login?request=${secret}`;
  }

  /** Whether a link still leads to a login that has not begun. @throws AppError `system` */
  async isOpen(link: string): Promise<boolean> {
    const secret = new URL(link).searchParams.get("request") ?? "";
    return (await this.#parts.vault.get("request", rowKeyOf("request", secret))) !== undefined;
  }

  /** Never rejects. */
  async page(request: FlowRequest): Promise<LoginPageReply> {
    const fields = new URLSearchParams(request.fields);
    try {
      switch (request.kind) {
        case "show":
          return await this.#show(fields, request);
        case "begin":
          return await this.#begin(fields, request);
        case "callback":
          return await this.#callback(fields, request);
      }
    } catch (error) {
      return failurePage(error);
    }
  }

  /** Changes nothing: programs that look at links open it too. */
  async #show(fields: URLSearchParams, { browser }: LoginPageRequest): Promise<LoginPageReply> {
    const secret = fields.get("request") ?? "";
    const found = await this.#parts.vault.get<RequestRow>("request", rowKeyOf("request", secret));
    const subject = found?.value;
    const how = subject === undefined ? undefined : await this.#parts.wishOf(subject);
    if (subject === undefined || how === undefined) return gone();
    const html = confirmPage({
      server: subject.server,
      host: new URL(subject.url).host,
      who: ownerName(subject.owner),
      here: new URL(this.#parts.origin).host,
      request: secret,
      browser: sha256Name(browser),
      wantsToken: how.confirm === "token",
    });
    return { status: 200, html };
  }

  async #begin(
    fields: URLSearchParams,
    { browser, proven }: LoginPageRequest,
  ): Promise<LoginPageReply> {
    const { vault, redirectUri, wishOf } = this.#parts;
    const key = rowKeyOf("request", fields.get("request") ?? "");
    if (!isSame(fields.get("browser") ?? "", sha256Name(browser))) return otherBrowser();
    const subject = (await vault.get<RequestRow>("request", key))?.value;
    const how = subject === undefined ? undefined : await wishOf(subject);
    if (subject === undefined || how === undefined) return gone();
    if (how.confirm === "token" && proven !== subject.owner) return notThem(subject);
    // Of two browsers with the same link, one goes on.
    if ((await vault.take("request", key)) === undefined) return gone();
    const { wish, logins } = how;
    const requests = new OauthRequests(wish.place, vault.roads);
    const found = await findLogin(wish, subject.wanted, requests);
    const entry = await logins.entry(wish.place);
    const before = entry === undefined ? undefined : await logins.record(entry);
    const known = await this.#knownClient(found);
    const parts = { redirectUri, kind: "web", before, known } as const;
    const plan = await planLogin(wish, found, parts, requests);
    await this.#keepClient(plan, subject);
    const { owner, server, url } = subject;
    const attempt: AttemptRow = { owner, server, url, plan, browser: sha256Name(browser) };
    await vault.putFor("attempt", plan.attempt.state, subject, oauthLoginMsMax, attempt);
    return { status: 303, html: "", location: plan.attempt.url };
  }

  async #callback(fields: URLSearchParams, { browser }: LoginPageRequest): Promise<LoginPageReply> {
    const { vault, wishOf } = this.#parts;
    const key = rowKeyOf("attempt", fields.get("state") ?? "");
    // Once, whatever comes of it.
    const attempt = (await vault.take<AttemptRow>("attempt", key))?.value;
    if (attempt === undefined) return gone();
    if (!isSame(attempt.browser, sha256Name(browser))) return otherBrowser();
    const how = await wishOf(attempt);
    if (how === undefined) return gone();
    const { plan, owner, server } = attempt;
    const requests = new OauthRequests(how.wish.place, vault.roads);
    try {
      const code = readCode(fields, plan.metadata);
      const record = await completeLogin(plan, code, requests);
      // The registration belongs to all principals: the logout of one must not end it.
      const { registration: _all, ...client } = record.client;
      await how.logins.add(how.wish.place, { ...record, client });
    } catch (error) {
      if (isUnknownClient(error)) await vault.take("client", this.#clientKey(plan.metadata.issuer));
      throw error;
    }
    const who = ownerName(owner);
    const text = `${who} is logged in to ${server} now. You can close this page and go back to your client.`;
    return { status: 200, html: messagePage("Logged in", text) };
  }

  #clientKey(issuer: string): string {
    return rowKeyOf("client", issuer, this.#parts.redirectUri);
  }

  /** Our registration there, which all principals share. */
  async #knownClient({ metadata }: FoundLogin): Promise<KnownClient | undefined> {
    const key = this.#clientKey(metadata.issuer);
    return (await this.#parts.vault.get<KnownClient>("client", key))?.value;
  }

  async #keepClient({ client, metadata }: PlannedLogin, { server }: LoginSubject): Promise<void> {
    if (client.registration === undefined) return;
    const { vault, redirectUri } = this.#parts;
    const key = this.#clientKey(metadata.issuer);
    const row = { kind: "client", key, id: key, owner: "", server, since: vault.clock() } as const;
    await vault.put(row, { ...client, redirectUri });
  }
}

function gone(): LoginPageReply {
  const text =
    "This login was finished, has been begun in another place, or is too old. Call the tool again: it gives you a new link.";
  return { status: 410, html: messagePage("This link does not work any more", text) };
}

function otherBrowser(): LoginPageReply {
  const text =
    "The login was begun in another browser, or this one keeps no cookies. Call the tool again, and open the new link.";
  return { status: 403, html: messagePage("Not this browser", text) };
}

function notThem({ owner }: LoginSubject): LoginPageReply {
  const text = `That is not a token of ${ownerName(owner)}, for whom this login is. Go back and try again, or close this page.`;
  return { status: 403, html: messagePage("Not your login", text) };
}

function failurePage(error: unknown): LoginPageReply {
  const isKnown = error instanceof AppError || error instanceof OauthError;
  const text = `${messageOf(error)} Call the tool again for a new link.`;
  return { status: isKnown ? 400 : 502, html: messagePage("The login failed", text) };
}

/** The authorization server has forgotten our registration. */
function isUnknownClient(error: unknown): boolean {
  return error instanceof OauthError && /^(?:invalid|unauthorized)_client$/.test(error.code);
}

function isSame(one: string, other: string): boolean {
  const [given, wanted] = [Buffer.from(one), Buffer.from(other)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
