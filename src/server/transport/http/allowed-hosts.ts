import { AppError } from "../../../base/errors.ts";
import { remembered } from "../../../base/remembered.ts";

/** Names of this machine that no foreign name server can give to a page. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
/** A name or an address, in brackets when it is IPv6, and perhaps a port. Nothing that needs interpretation. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::(\d{1,5}))?$/;

/** Whether a host name in the form of URLs can only mean this machine. */
export function isLoopbackName(name: string): boolean {
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
  /** Nearly all requests have the same host. */
  readonly #isAllowed = remembered((host) => this.#matches(host));

  /**
   * @param configured `name`, which means any port, or `name:port`; an IPv6 address may lack its brackets
   * @throws AppError `config` for anything else
   */
  constructor(configured: readonly string[]) {
    this.#names = new Set([...loopbackNames, ...configured.map(readConfigured)]);
  }

  /** @param host the header; null when there is none, and `a, b` when there are two */
  allows(host: string | null): boolean {
    return host !== null && this.#isAllowed(host);
  }

  #matches(host: string): boolean {
    const text = host.toLowerCase();
    const [, name] = hostPattern.exec(text) ?? [];
    return name !== undefined && (this.#names.has(name) || this.#names.has(text));
  }
}

function readConfigured(entry: string): string {
  const text = entry.trim().toLowerCase();
  const isBareIpv6 = /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/.test(text);
  const host = isBareIpv6 ? `[${text}]` : text;
  if (hostPattern.test(host)) return host;
  throw new AppError(
    "config",
    `"${entry}" is not a host: give a name such as mcp.example, or mcp.example:8443 for one port only.`,
  );
}
