import type { PlainRequest } from "../../network/guarded-fetch.ts";

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
   * speaks something else than HTTP. The body is decoded as it is read and no further, and has no bound: its reader counts.
   */
  fetch(request: GuardedRequest): Promise<Response>;
  /** Opens a proxy that serves one page later on, so that it costs nothing when the page is asked for. */
  openProxy(): Promise<GuardProxy>;
}
