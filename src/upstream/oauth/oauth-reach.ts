import { AppError } from "../../base/errors.ts";
import { oauthErrorCharsShown } from "../../base/upstream-limits.ts";
import {
  isLoopback,
  ownAddresses,
  type Reach,
  reaches,
  reachFrom,
} from "../../network/address-rules.ts";
import { hostOf } from "../../network/host-name.ts";
import type { Destination, HostAccess } from "../../network/judge-host.ts";
import { cleanText } from "../adapters/text-of.ts";

/** The target of a login: the address of a server, and the client of its entry, if any. */
export interface LoginPlace {
  readonly url: string;
  readonly clientId?: string | undefined;
  /** Authorization servers that an entry of the user names. They do not change the identity of the login. */
  readonly issuers?: readonly string[] | undefined;
  /** The grant and scopes of a login without a person, which keeps it apart from a person's login. */
  readonly grant?: string | undefined;
}

const remedy =
  "A server may only name addresses within its own reach: its own host, public addresses, or the private network that " +
  "it is in. If this is right, name the authorization server in your own entry of the server: " +
  'oauth = { issuer = "https://…" }.';

/**
 * Decides where the requests of a login may go. Servers that the user has named, the MCP server and perhaps
 * authorization servers in an entry, are allowed everywhere. Addresses that these name in turn must be public or in the
 * private network from which one of them has answered, so a company's own server may have its login on another private
 * address, and a public one may not. The address that answered is used for this, because a resolver cannot forge it.
 */
export class OauthReach {
  /** Hosts that the user has named, with an address at each. */
  readonly #named: ReadonlyMap<string, URL>;
  readonly #ask: (url: URL) => Promise<unknown>;
  readonly #heard = new Set<string>();
  #reach: Reach = "public";
  /** Shared by all callers. */
  #asking: Promise<void> | undefined;

  /** @param ask sends a request to an address of a named host, and reports the answer with `heard` */
  constructor({ url, issuers = [] }: LoginPlace, ask: (url: URL) => Promise<unknown>) {
    const urls = [url, ...issuers].map((each) => URL.parse(each)).filter((each) => each !== null);
    this.#named = new Map(urls.map((each) => [hostOf(each), each]));
    this.#ask = ask;
  }

  hostAccessOf({ host }: Destination): HostAccess {
    if (this.#named.has(host)) return { kind: "allowed" };
    return { kind: "judged", remedy, reach: () => this.#found() };
  }

  /** @param address the source of an answer; undefined behind the user's proxy, where this machine cannot know it */
  heard(url: URL, address: string | undefined): void {
    const host = hostOf(url);
    if (!this.#named.has(host)) return;
    this.#heard.add(host);
    const reach = address === undefined ? "public" : reachFrom(address, ownAddresses());
    if (reaches.indexOf(reach) > reaches.indexOf(this.#reach)) this.#reach = reach;
  }

  /** Contacts named hosts that have not answered yet, since a renewal sends no other request to its server. */
  async #found(): Promise<Reach> {
    await (this.#asking ??= this.#askNamed());
    return this.#reach;
  }

  async #askNamed(): Promise<void> {
    for (const [host, url] of this.#named) {
      if (this.#heard.has(host) || !isSafe(url)) continue;
      this.#heard.add(host);
      await this.#ask(new URL("/.well-known/oauth-protected-resource", url)).catch(() => undefined);
    }
  }
}

/** Whether tokens and requests about them may be sent there: https, or http on this machine. */
export function isSafe(url: URL): boolean {
  const host = hostOf(url);
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && (host === "localhost" || isLoopback(host)))
  );
}

/**
 * Checks the text of an address that a remote side has named. `OauthRequests` judges its destination when it sends a
 * request. @param what names the address in messages
 * @throws AppError `refused`
 */
export function allowedUrl(text: unknown, what: string): URL {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const written = shown(typeof text === "string" ? text : "nothing");
  if (url === null) throw refusal(`${what} is not an address: ${written}.`);
  if (!isSafe(url)) throw refusal(`${what} is not https: ${written}.`);
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    throw refusal(`${what} has a user name or a fragment in it: ${written}.`);
  }
  return url;
}

/** The error of a login that breaks a rule and is aborted. */
export function refusal(message: string): AppError {
  return new AppError("refused", message);
}

/** An authorization server's error in place of a token. */
export class OauthError extends Error {
  override readonly name = "OauthError";

  /** @param code such as `invalid_grant`, or `http_500` when it gave none @param who the sender, for the message */
  constructor(
    readonly code: string,
    description: string,
    who = "The authorization server",
  ) {
    super(`${who} refuses: ${shown(code)}${described(description)}.`);
  }

  /** True when the same request would be refused again. */
  get isFinal(): boolean {
    return !/^http_(?:5\d\d|408|429)$|^(?:server_error|temporarily_unavailable)$/.test(this.code);
  }
}

/** A remote text, cleaned for one line of a message. */
export function shown(text: string): string {
  return cleanText(text.slice(0, oauthErrorCharsShown)).replaceAll(/\s+/g, " ").trim();
}

function described(description: string): string {
  return description === "" ? "" : ` (${shown(description)})`;
}
