import { decodeResponse, undecoded } from "../base/decode-response.ts";
import { AppError } from "../base/errors.ts";
import { dialFirst, fetchFailure } from "./dial.ts";
import { bracketed, hostOf, portOf } from "./host-name.ts";
import { parseIp } from "./address-rules.ts";
import { cancelled, type Destination, type HostAccess } from "./judge-host.ts";
import { type Roads, type Route, routeTo } from "./route.ts";

/** One request; redirects are not followed: the caller that follows one has each hop judged again. */
export interface PlainRequest {
  readonly url: URL;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface GuardedAnswer {
  readonly response: Response;
  /** The address that answered; undefined: only a proxy of the user's knows it. */
  readonly address: string | undefined;
}

/** Hosts whose answering address is remembered: those of one page and a search. */
const answeringMax = 256;

/**
 * `fetch` that dials only judged addresses. Bun's own cannot be given a resolver, but it takes an address in the URL
 * with the name for Host, SNI and the certificate apart, and keeps connections for such a name apart too (measured with
 * 1.4.5). `proxy: false` keeps it from reading the proxy variables.
 */
export class GuardedFetch {
  /** The address that answered, of each host with several; the oldest goes first. */
  readonly #answering = new Map<string, string>();

  constructor(private readonly roads: Roads) {}

  /**
   * @param access how the destination may be reached
   * @throws AppError `refused` when any address of the host is forbidden or the URL is not a plain one, `system` when
   * the name cannot be resolved or the connection fails, `cancelled`; `config` or `unsupported` for a proxy that cannot
   * be used
   */
  async fetch(
    request: PlainRequest,
    access: (destination: Destination) => HostAccess,
  ): Promise<GuardedAnswer> {
    const { url, signal } = request;
    const destination = { host: hostOf(url), port: portOf(url) };
    const route = await this.judge(url, access, signal);
    if (route.kind === "upstream") {
      const via = `${destination.host} (through the proxy ${route.proxy.origin})`;
      const response = await attempt(via, url, request, url.href, { proxy: route.proxy.url });
      return { response, address: undefined };
    }
    const address = await this.#choose(destination.host, route.addresses, destination.port, signal);
    const name = parseIp(destination.host) === undefined ? { serverName: destination.host } : {};
    try {
      const response = await attempt(destination.host, url, request, dialledUrl(url, address), {
        proxy: false,
        ...(url.protocol === "https:" && { tls: name }),
      });
      return { response, address };
    } catch (error) {
      this.#answering.delete(keyOf(destination.host, destination.port));
      throw error;
    }
  }

  /** How a request would go; nothing is sent. @throws as `fetch` does */
  async judge(
    url: URL,
    access: (destination: Destination) => HostAccess,
    signal: AbortSignal,
  ): Promise<Route> {
    const protocol = protocolOf(url);
    const destination = { host: hostOf(url), port: portOf(url) };
    if (signal.aborted) throw cancelled(signal);
    return routeTo(protocol, destination, access(destination), this.roads, signal);
  }

  /** The address to dial: one that answers, when there are several. */
  async #choose(
    host: string,
    addresses: readonly string[],
    port: number,
    signal: AbortSignal,
  ): Promise<string> {
    const [only] = addresses;
    if (only !== undefined && addresses.length === 1) return only;
    const key = keyOf(host, port);
    const known = this.#answering.get(key);
    if (known !== undefined && addresses.includes(known)) return known;
    const { socket, address } = await dialFirst(host, addresses, port, signal);
    socket.destroy();
    this.#answering.delete(key);
    this.#answering.set(key, address);
    const [oldest] = this.#answering.keys();
    if (this.#answering.size > answeringMax && oldest !== undefined) this.#answering.delete(oldest);
    return address;
  }
}

const keyOf = (host: string, port: number): string => `${host} ${port}`;

/** @throws AppError `refused` for anything but a plain URL of http or https */
function protocolOf(url: URL): "http:" | "https:" {
  if (url.username !== "" || url.password !== "") {
    throw new AppError(
      "refused",
      `The URL contains a user name or password, which would be sent to "${url.host}". Remove it.`,
    );
  }
  if (url.protocol === "http:" || url.protocol === "https:") return url.protocol;
  throw new AppError(
    "refused",
    `Only http:// and https:// URLs are supported, not "${url.protocol}".`,
  );
}

function dialledUrl(url: URL, address: string): string {
  return `${url.protocol}//${bracketed(address)}:${portOf(url)}${url.pathname}${url.search}`;
}

interface Dialling {
  /** Bun: a proxy to go through, or false for none whatever the environment says. */
  readonly proxy: string | false;
  readonly tls?: { readonly serverName?: string };
}

async function attempt(
  name: string,
  url: URL,
  { method, headers, body, signal }: PlainRequest,
  target: string,
  { proxy, tls }: Dialling,
): Promise<Response> {
  const init: RequestInit & { redirect: "manual" } = {
    method: method ?? "GET",
    headers: { ...withoutHost(headers ?? {}), Host: url.host },
    redirect: "manual",
    signal,
    ...(body !== undefined && { body }),
  };
  try {
    // The types of Bun's `fetch` do not know that `proxy` may be false.
    const request = { ...undecoded(init), proxy, tls } as RequestInit;
    const response = decodeResponse(await fetch(target, request));
    // The requested URL, so that links resolve against it.
    Object.defineProperty(response, "url", { value: url.href });
    return response;
  } catch (error) {
    if (signal.aborted) throw cancelled(signal);
    throw new AppError(
      "system",
      `"${name}" did not answer on port ${portOf(url)}: ${fetchFailure(error)}.`,
      {
        cause: error,
      },
    );
  }
}

function withoutHost(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== "host"),
  );
}
