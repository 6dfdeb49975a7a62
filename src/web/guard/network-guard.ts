import type { PlainRequest } from "../../network/guarded-fetch.ts";
import { bracketed, hostOf } from "../../network/host-name.ts";
import type { Destination, HostAccess } from "../../network/judge-host.ts";

/** The setting that opens a host; messages name it. */
const setting = "READDOCS_ALLOW_HOSTS";

/** A host that may be reached whatever its addresses are. */
export interface HostRule {
  readonly host: string;
  /** Undefined = every port. */
  readonly port: number | undefined;
}

/**
 * The rules that `entries` are: a name, an address (IPv6 with or without brackets), or one of these with a port. Any
 * other entry opens nothing.
 */
export function parseHostRules(entries: readonly string[]): HostRule[] {
  return entries.flatMap((entry) => {
    const rule = parseHostRule(entry.trim());
    return rule === undefined ? [] : [rule];
  });
}

function parseHostRule(entry: string): HostRule | undefined {
  if (entry === "" || /[\s/@?#\\*]/.test(entry)) return undefined;
  const isBareSix = entry.split(":").length > 2 && !entry.startsWith("[");
  const url = URL.parse(`http://${isBareSix ? `[${entry}]` : entry}/`);
  if (url === null || url.hostname === "") return undefined;
  const named = /:(\d+)$/.exec(isBareSix ? "" : entry)?.[1];
  return { host: hostOf(url), port: named === undefined ? undefined : Number(named) };
}

/** The hosts that a request may reach whatever their addresses are. */
export interface Allowance {
  /** Rules of the user's settings: for pages of the host itself. */
  readonly configured: readonly HostRule[];
  /** Rules of the request itself, which always apply. */
  readonly own: readonly HostRule[];
  /** The host of the URL that the user requested. */
  readonly pageHost: string;
}

/** A page of one host does not reach another host by the user's leave, be it allowed or not. */
export function hostAccessOf(destination: Destination, allowance: Allowance): HostAccess {
  if (isNamed(allowance.own, destination)) return { kind: "allowed" };
  if (!isNamed(allowance.configured, destination)) {
    const name = bracketed(destination.host);
    const remedy = `To allow it, the user can add ${name} to ${setting}, in the environment or the user's settings.`;
    return { kind: "judged", remedy };
  }
  if (destination.host === allowance.pageHost) return { kind: "allowed" };
  const remedy = `${setting} allows it for its own pages only, not for pages of "${allowance.pageHost}".`;
  return { kind: "judged", remedy, isForeign: true };
}

function isNamed(rules: readonly HostRule[], { host, port }: Destination): boolean {
  return rules.some(
    (rule) => rule.host === host && (rule.port === undefined || rule.port === port),
  );
}

/** A request of a page or a search. */
export interface GuardedRequest extends PlainRequest {
  /** Hosts that this request may reach although their addresses are private, besides those of the configuration. */
  readonly allowHosts?: readonly string[];
  /**
   * The URL that the user requested, when `url` is its redirect target: the configuration's allowance opens this host
   * alone, so that a public page cannot redirect to an allowed private one. Without it: `url`.
   */
  readonly pageUrl?: URL;
}

/** A forward proxy for one context of a browser, which is made before it is known which page it will show. */
export interface GuardProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /**
   * Until this was called every request is refused. Called once.
   * @param pageUrl the URL that the user requested: its host alone may be reached by the configuration's allowance, and
   * its port besides 80 and 443
   */
  serve(pageUrl: URL): void;
  /** The refusals so far, newest last: `host` as requested, and the reason. */
  readonly refusals: readonly { readonly host: string; readonly reason: string }[];
}

/**
 * Judges every address after resolution and dials the address that it judged (TH12). The one
 * way to the network for pages, the browser and search engines.
 */
export interface NetworkGuard extends AsyncDisposable {
  /**
   * @throws AppError `refused` when any address of the host is forbidden, `system` when the name cannot be
   * resolved or the connection fails, `cancelled` when `signal` says so, `unsupported` when the user's proxy
   * speaks something else than HTTP. The body is decoded as it is read and no further, and has no bound: its reader has to set one.
   */
  fetch(request: GuardedRequest): Promise<Response>;
  /** Opens a proxy that serves one page later on, so that it costs nothing when the page is asked for. */
  openProxy(): Promise<GuardProxy>;
}
