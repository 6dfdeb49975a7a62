import { AppError } from "../base/errors.ts";
import { bracketed, hostOf } from "./host-name.ts";
import { isInRange, parseIp, parseRange } from "./ip-address.ts";
import { isLoopback } from "./address-rules.ts";
import type { Destination } from "./judge-host.ts";

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

export type ChooseUpstream = (
  protocol: "http:" | "https:",
  destination: Destination,
) => UpstreamProxy | undefined;

/** Whatever else is in it is not looked at. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

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
 * with 1.4.5: names and what is below them, a leading dot or `*.`, ports, blocks of addresses, commas or spaces
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
