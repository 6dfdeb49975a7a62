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
import type { Destination, Standing } from "../../network/judge-host.ts";
import { cleanText } from "../adapters/text-of.ts";

/** What a login is for: the address of a server, and the client that its entry names, if it does. */
export interface LoginPlace {
  readonly url: string;
  readonly clientId?: string | undefined;
  /** Authorization servers that an entry of the user's names. The login is the same with others. */
  readonly issuers?: readonly string[] | undefined;
  /** How tokens are had where no person logs in, and for what: such logins are not those of a person. */
  readonly grant?: string | undefined;
}

const remedy =
  "A server may only send us where it is itself: to its own host, to public addresses, or into the private network that " +
  "it is in. If this is right, name the authorization server in your own entry of the server: " +
  'oauth = { issuer = "https://…" }.';

/**
 * Where the requests of a login may go. The user has named the server, and in an entry of theirs perhaps authorization
 * servers: those are asked wherever they are. What these name in turn may lie in the network that one of them has
 * answered from, so a company's own server may have its login on another private address, and a public one may not. The
 * address that counts is the one that answered for the name, which a resolver cannot make up.
 */
export class OauthReach {
  /** Of those that the user has named, with an address at each. */
  readonly #named: ReadonlyMap<string, URL>;
  readonly #ask: (url: URL) => Promise<unknown>;
  readonly #heard = new Set<string>();
  #reach: Reach = "public";
  /** Once for all who need to know. */
  #asking: Promise<void> | undefined;

  /** @param ask sends any request to an address of a named host, and tells of the answer by `heard` */
  constructor({ url, issuers = [] }: LoginPlace, ask: (url: URL) => Promise<unknown>) {
    const urls = [url, ...issuers].map((each) => URL.parse(each)).filter((each) => each !== null);
    this.#named = new Map(urls.map((each) => [hostOf(each), each]));
    this.#ask = ask;
  }

  standingOf({ host }: Destination): Standing {
    if (this.#named.has(host)) return { kind: "allowed" };
    return { kind: "judged", remedy, reach: () => this.#found() };
  }

  /** @param address that an answer came from; undefined: the user's proxy knows, and this machine cannot tell */
  heard(url: URL, address: string | undefined): void {
    const host = hostOf(url);
    if (!this.#named.has(host)) return;
    this.#heard.add(host);
    const reach = address === undefined ? "public" : reachFrom(address, ownAddresses());
    if (reaches.indexOf(reach) > reaches.indexOf(this.#reach)) this.#reach = reach;
  }

  /** Who has not been heard of yet is asked: a token is renewed without asking its server anything else. */
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

/** Where tokens may be sent, and what may be asked about them: https, or http that stays on this machine. */
export function isSafe(url: URL): boolean {
  const host = hostOf(url);
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && (host === "localhost" || isLoopback(host)))
  );
}

/**
 * An address that another side has named, by what is written there. Where it leads is judged when it is asked
 * (`OauthRequests`).
 * @param what it is, for the message
 * @throws AppError `refused`
 */
export function allowedUrl(text: unknown, what: string): URL {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const written = shown(typeof text === "string" ? text : "nothing");
  if (url === null) throw refusal(`${what} is no address: ${written}.`);
  if (!isSafe(url)) throw refusal(`${what} is not https: ${written}.`);
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    throw refusal(`${what} has a user name or a fragment in it: ${written}.`);
  }
  return url;
}

/** Something in a login breaks a rule, and it is given up. */
export function refusal(message: string): AppError {
  return new AppError("refused", message);
}

/** What an authorization server answered in place of a token. */
export class OauthError extends Error {
  override readonly name = "OauthError";

  /**
   * @param code as `invalid_grant`, or `http_500` where it gave none
   * @param who for the message
   */
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

/** A text of another side, fit for one line of a message. */
export function shown(text: string): string {
  return cleanText(text.slice(0, oauthErrorCharsShown)).replaceAll(/\s+/g, " ").trim();
}

function described(description: string): string {
  return description === "" ? "" : ` (${shown(description)})`;
}
