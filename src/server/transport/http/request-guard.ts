import { AppError } from "../../../base/errors.ts";
import { httpPreflightAgeSMax } from "../../../base/limits.ts";
import { remembered } from "../../../base/shared-work.ts";
import { createFault, encodeError, errorCodes } from "../../../protocol/json-rpc.ts";

/** Names of this machine that no foreign name server can give to a page. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
/** A name or an address, in brackets when it is IPv6, and perhaps a port. Nothing that needs interpretation. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::(\d{1,5}))?$/;

/** An address as clients write it: no name server has a part in it. */
const addressPattern = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})$/;

/** Whether a host name in the form of URLs can only mean this machine. */
function isLoopbackName(name: string): boolean {
  return loopbackNames.includes(name);
}

const anyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "[::]", "[::ffff:0:0]"]);

/**
 * The `Host` of clients that use the address that the server listens on, in the form of URLs; undefined for all addresses of
 * the machine, whose names are not known.
 * @param listenHost a name or an address; IPv6 without brackets
 */
export function hostOfAddress(listenHost: string): string | undefined {
  const text = listenHost.includes(":") ? `[${listenHost}]` : listenHost;
  const name = URL.parse(`http://${text}`)?.hostname;
  return name === undefined || anyAddress.has(name) || !hostPattern.test(name) ? undefined : name;
}

/**
 * The values of `Host` that requests may have: a page whose name was bound to our address sends its own name
 * (TH7). Loopback names are allowed with any port.
 */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #takesAddresses: boolean;
  /** Nearly all requests have the same host. */
  readonly #isAllowed = remembered((host) => this.#matches(host));

  /**
   * @param configured `name`, which means any port, or `name:port`; an IPv6 address may lack its brackets
   * @param takesAddresses any address, and no host at all, will do: a page has been loaded by a name
   * @throws AppError `config` for anything else
   */
  constructor(configured: readonly string[], takesAddresses = false) {
    this.#takesAddresses = takesAddresses;
    this.#names = new Set([...loopbackNames, ...configured.map(readConfiguredHost)]);
  }

  /** @param host the header; null when there is none, and `a, b` when there are two */
  allows(host: string | null): boolean {
    return host === null ? this.#takesAddresses : this.#isAllowed(host);
  }

  #matches(host: string): boolean {
    const text = host.toLowerCase();
    const [, name] = hostPattern.exec(text) ?? [];
    if (name === undefined) return false;
    if (this.#takesAddresses && addressPattern.test(name)) return true;
    return this.#names.has(name) || this.#names.has(text);
  }
}

function readConfiguredHost(entry: string): string {
  const text = entry.trim().toLowerCase();
  const isBareIpv6 = /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/.test(text);
  const host = isBareIpv6 ? `[${text}]` : text;
  if (hostPattern.test(host)) return host;
  throw new AppError(
    "config",
    `"${entry}" is not a host: give a name such as mcp.example, or mcp.example:8443 for one port only.`,
  );
}

/**
 * The values of `Origin` that requests may have. Pages of this machine are allowed; every other page must have been
 * configured (docs/spec/modern.md#endpoint).
 */
class AllowedOrigins {
  readonly #configured: ReadonlySet<string>;

  /** @throws AppError `config` for an entry that is not an origin, such as `*` */
  constructor(configured: readonly string[]) {
    this.#configured = new Set(configured.map(readConfigured));
  }

  /** True when no page but those of this machine may read our answers. */
  get isEmpty(): boolean {
    return this.#configured.size === 0;
  }

  /** @param origin the header; an absent one needs no permission, because browsers send it with every POST */
  allows(origin: string): boolean {
    return this.isConfigured(origin) || isLoopbackOrigin(origin);
  }

  /** Whether it was named in the configuration, so that its pages may also read our answers. */
  isConfigured(origin: string): boolean {
    return this.#configured.has(origin);
  }
}

/** Browsers write origins in one form only; what comes in another form did not come from one. */
function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  return (url.protocol === "http:" || url.protocol === "https:") && isLoopbackName(url.hostname);
}

/** The entry in the form in which browsers write it. */
function readConfigured(entry: string): string {
  const url = URL.parse(entry);
  const isBare = url !== null && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  if (isBare && url.host !== "" && url.username === "") return `${url.protocol}//${url.host}`;
  throw new AppError(
    "config",
    `"${entry}" is not an origin: give scheme, name and port, such as https://app.example or http://10.0.0.5:3000.`,
  );
}

/** The parts of a request that the guard checks. */
interface RequestHead {
  readonly headers: Headers;
}

export interface RequestGuardOptions {
  /** Names beside the loopback ones, with or without a port. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may send requests and read the answers. */
  readonly allowedOrigins: readonly string[];
  /** True: answers requests for any address too, as probes of other machines send them: a page cannot be bound to one. */
  readonly takesAddresses?: boolean;
}

/** Response headers that a page may read. */
const exposedHeaders = "Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version";
/** Headers that a page may send; those with the prefix of tool parameters come to them. */
const sendableHeaders = new Set([
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
]);

/** Stands before everything else on the port: no page of a foreign site gets past (TH7). */
export class RequestGuard {
  readonly #hosts: AllowedHosts;
  readonly #origins: AllowedOrigins;

  /** @throws AppError `config` for an entry that is not a host or an origin */
  constructor({ allowedHosts, allowedOrigins, takesAddresses }: RequestGuardOptions) {
    this.#hosts = new AllowedHosts(allowedHosts, takesAddresses);
    this.#origins = new AllowedOrigins(allowedOrigins);
  }

  /** The answer to a request that may not pass (403); it tells a page nothing, because no page may read it. */
  check({ headers }: RequestHead): Response | undefined {
    const host = headers.get("host");
    if (!this.#hosts.allows(host)) return refuse("Host", host, "--allow-host");
    const origin = headers.get("origin");
    if (origin === null) return refuseForeignFetch(headers.get("sec-fetch-site"));
    if (this.#origins.allows(origin)) return undefined;
    return refuse("Origin", origin, "--allow-origin");
  }

  /**
   * The answer to a request for a page of this server that may not pass. People come to pages from everywhere; a form is
   * sent by such a page itself, and no page is shown inside another.
   * @param ownOrigin of this server, as browsers reach it
   */
  checkPage(
    { headers, method }: RequestHead & { readonly method: string },
    ownOrigin: string,
  ): Response | undefined {
    const host = headers.get("host");
    if (!this.#hosts.allows(host)) return refuse("Host", host, "--allow-host");
    const [origin, destination] = [headers.get("origin"), headers.get("sec-fetch-dest")];
    if (destination !== null && destination !== "document") {
      return refuse("Sec-Fetch-Dest", destination, "no flag");
    }
    if (method === "GET") return undefined;
    if (origin !== null && origin !== ownOrigin) return refuse("Origin", origin, "no flag");
    return refuseForeignFetch(headers.get("sec-fetch-site"));
  }

  /** The response, made readable for the page that asked if its origin was configured. Never for others. */
  withCors(request: RequestHead, response: Response): Response;
  withCors(
    request: RequestHead,
    response: Response | Promise<Response>,
  ): Response | Promise<Response>;
  withCors(
    request: RequestHead,
    response: Response | Promise<Response>,
  ): Response | Promise<Response> {
    if (this.#origins.isEmpty) return response;
    if (response instanceof Promise)
      return response.then((settled) => this.withCors(request, settled));
    // Caches must not give the answer for one origin to another.
    response.headers.append("vary", "Origin");
    const origin = request.headers.get("origin");
    if (origin !== null && this.#origins.isConfigured(origin)) {
      response.headers.set("access-control-allow-origin", origin);
      response.headers.set("access-control-expose-headers", exposedHeaders);
    }
    return response;
  }

  /** Answers OPTIONS: what a page of a configured origin may send. Others learn that there is nothing for them. */
  preflight(request: RequestHead): Response {
    const headers = new Headers({ allow: "POST, GET, DELETE, OPTIONS" });
    const origin = request.headers.get("origin");
    if (origin !== null && this.#origins.isConfigured(origin)) {
      const wanted = request.headers.get("access-control-request-headers") ?? "";
      headers.set("access-control-allow-methods", "POST, GET, DELETE");
      headers.set("access-control-allow-headers", sendableOf(wanted).join(", "));
      headers.set("access-control-max-age", String(httpPreflightAgeSMax));
    }
    return this.withCors(request, new Response(null, { status: 204, headers }));
  }
}

function sendableOf(wanted: string): readonly string[] {
  return wanted
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => sendableHeaders.has(name) || name.startsWith("mcp-param-"));
}

/**
 * A page can have a picture or a frame fetched without `Origin`; it could not read the answer, but would hold a
 * stream. Browsers say so in this header; no other client sends it.
 */
function refuseForeignFetch(site: string | null): Response | undefined {
  const isForeign = site === "cross-site" || site === "same-site";
  return isForeign ? refuse("Sec-Fetch-Site", site, "no flag") : undefined;
}

function refuse(header: string, value: string | null, flag: string): Response {
  const shown = JSON.stringify(value?.slice(0, 100) ?? "");
  const message = `Invalid request: ${header} ${shown} is not allowed here; ${flag} of the server allows it`;
  const body = encodeError(undefined, createFault(errorCodes.invalidRequest, message));
  return new Response(body, { status: 403, headers: { "content-type": "application/json" } });
}
