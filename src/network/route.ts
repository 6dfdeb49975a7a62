import { AppError } from "../base/errors.ts";
import { isInRange, isLoopback, parseIp, parseRange } from "./address-rules.ts";
import { bracketed, hostOf, isPrivateName } from "./host-name.ts";
import {
  assertName,
  assertPort,
  type Destination,
  type HostAccess,
  judgeHost,
  refused,
  type Resolve,
} from "./judge-host.ts";

/** How a destination is reached. */
export type Route =
  | { readonly kind: "direct"; readonly addresses: readonly string[] }
  | { readonly kind: "upstream"; readonly proxy: UpstreamProxy };

export interface Roads {
  readonly resolve: Resolve;
  readonly chooseUpstream: ChooseUpstream;
}

/** @param env has the variables that name the user's proxy */
export function roadsOf(env: ProxyEnv, resolve: Resolve): Roads {
  return { resolve, chooseUpstream: upstreamChooser(env) };
}

/**
 * Behind a proxy this machine often has no DNS of its own for public names: each page would wait for it. Names that
 * it knows are answered sooner.
 */
const dnsBeforeProxyMsMax = 1_500;

/**
 * Judges a destination and finds the way there. Behind the user's proxy, names that can be resolved here are
 * judged all the same; of the others, those that only a private network can know are refused, and the rest is
 * left to the proxy.
 * @throws AppError `refused`, `system`, `cancelled`; `config` or `unsupported` for a proxy that cannot be used
 */
export async function routeTo(
  protocol: "http:" | "https:",
  destination: Destination,
  access: HostAccess,
  { resolve, chooseUpstream }: Roads,
  signal: AbortSignal,
): Promise<Route> {
  assertPort(destination.host, destination.port);
  await assertName(destination.host, access);
  const proxy = chooseUpstream(protocol, destination);
  if (proxy === undefined) {
    const addresses = await judgeHost(destination.host, access, resolve, signal);
    return { kind: "direct", addresses };
  }
  try {
    const addresses = await judgeHost(
      destination.host,
      access,
      resolve,
      signal,
      dnsBeforeProxyMsMax,
    );
    // No proxy leads back to this machine.
    if (addresses.length > 0 && addresses.every(isLoopback)) return { kind: "direct", addresses };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "system") throw error;
    if (access.kind === "allowed") return { kind: "upstream", proxy };
    const isPrivate = access.isForeign === true || isPrivateName(destination.host);
    if (isPrivate && ((await access.reach?.()) ?? "public") === "public") {
      throw refused(destination.host, "it is a name of a private network", access);
    }
  }
  return { kind: "upstream", proxy };
}

/** The user's own proxy: what it is asked for it resolves and dials itself. */
export interface UpstreamProxy {
  /** Scheme, host and port: fit for messages. */
  readonly origin: string;
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** The value of Proxy-Authorization, a secret; undefined without credentials. */
  readonly authorization: string | undefined;
  /** With credentials, for Bun's `fetch`. Never in a message. */
  readonly url: string;
}

type ChooseUpstream = (
  protocol: "http:" | "https:",
  destination: Destination,
) => UpstreamProxy | undefined;

/** Whatever else is in it is not looked at. */
type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** A variable in lower case wins over the same in upper case, and an empty one is not there, as curl and Bun have it. */
const valueOf = (env: ProxyEnv, name: string): string | undefined =>
  [env[name.toLowerCase()], env[name]].find((value) => value !== undefined && value.trim() !== "");

/**
 * Finds the proxy that the user's environment names for a destination. Requests to this machine never use a proxy. The
 * returned function throws AppError `unsupported` for a proxy that does not speak HTTP, `config` for one that is not a
 * URL.
 */
export function upstreamChooser(env: ProxyEnv): ChooseUpstream {
  const isExcepted = exceptions(valueOf(env, "NO_PROXY") ?? "");
  return (protocol, destination) => {
    const own = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
    const name = valueOf(env, own) === undefined ? "ALL_PROXY" : own;
    const value = valueOf(env, name);
    if (value === undefined || isThisMachine(destination.host)) return undefined;
    return isExcepted(destination) ? undefined : parseProxy(name, value.trim());
  };
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isLoopback(host);
}

function parseProxy(name: string, value: string): UpstreamProxy {
  const url = URL.parse(value.includes("://") ? value : `http://${value}`);
  if (url === null || url.hostname === "") {
    throw new AppError("config", `${name} is not a proxy URL; write it like http://host:port.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AppError(
      "unsupported",
      `${name} names a ${url.protocol}// proxy, but only http:// and https:// proxies are supported. ` +
        "Use one of those, or exclude the host with NO_PROXY.",
    );
  }
  const isTls = url.protocol === "https:";
  const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port);
  const host = hostOf(url);
  return {
    origin: `${url.protocol}//${bracketed(host)}:${port}`,
    isTls,
    host,
    port,
    authorization: authorizationOf(name, url),
    url: `${url.protocol}//${userInfo(url)}${bracketed(host)}:${port}`,
  };
}

function authorizationOf(name: string, url: URL): string | undefined {
  if (userInfo(url) === "") return undefined;
  try {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return `Basic ${Buffer.from(credentials).toString("base64")}`;
  } catch {
    throw new AppError(
      "config",
      `${name} has a user name or password with a stray "%": write %25.`,
    );
  }
}

function userInfo(url: URL): string {
  return url.username === "" && url.password === "" ? "" : `${url.username}:${url.password}@`;
}

/**
 * The destinations that NO_PROXY excludes. Bun's `fetch` reads that variable itself, even for a proxy that is given to
 * it, and would then dial an address that nobody judged: this excludes every destination that Bun excludes (measured
 * with 1.4.5: names and those below them, a leading dot or `*.`, ports, blocks of addresses, commas or spaces
 * between).
 */
function exceptions(text: string): (destination: Destination) => boolean {
  const tests = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(exception);
  return (destination) => tests.some((test) => test(destination));
}

function exception(entry: string): (destination: Destination) => boolean {
  if (entry === "*") return () => true;
  const range = parseRange(entry.replaceAll(/[[\]]/g, ""));
  if (range !== undefined) {
    return ({ host }) => {
      const address = parseIp(host);
      return address !== undefined && isInRange(address, range);
    };
  }
  const [, named = "", port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const name = named
    .replace(/^\*?\./, "")
    .replace(/\.$/, "")
    .replaceAll(/[[\]]/g, "");
  return (destination) =>
    (port === undefined || destination.port === Number(port)) &&
    (destination.host === name || destination.host.endsWith(`.${name}`));
}
