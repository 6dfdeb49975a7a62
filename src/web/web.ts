import type { JsonText } from "../base/weight.ts";
import type { BrowserOptions } from "./browser/create-browser.ts";
import type { FetchPageRequest, LoadedPage, RenderPageRequest } from "./pages/page-url.ts";
import type { SearchOptions } from "./search/engine.ts";
import type { SearchReply, SearchRequest } from "./search/search-reply.ts";

/**
 * Everything that reaches the network for the tools: one guard, one browser, one set of engines. It lives in a Worker
 * of its own (`worker/`), or in a command of the command line. Failures are `AppError`s with a message for the reader:
 * `usage` for an invalid URL, `refused` for one that the guard refuses, `cancelled`, `limit`, `unsupported` without a
 * browser, `system` for the network.
 */
export interface Web extends AsyncDisposable {
  fetchPage(request: FetchPageRequest, signal: AbortSignal): Promise<LoadedPage>;
  renderPage(request: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage>;
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
}

export type WebMethod = "fetchPage" | "renderPage" | "search";

/** `Web` in another thread: each reply is the JSON of the reply of `Web`, since it is passed on without being parsed. */
export type RemoteWeb = AsyncDisposable & {
  readonly [Method in WebMethod]: (...call: Parameters<Web[Method]>) => Promise<JsonText>;
};

/** The settings of the web services, as plain data: they cross to their Worker. */
export interface WebOptions {
  readonly pages: PageOptions;
  readonly browser: BrowserOptions;
  readonly search: SearchOptions;
  /** The variables that name the user's proxy: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case. */
  readonly proxyEnv: Readonly<Record<string, string>>;
}

interface PageOptions {
  /** Hosts that may be reached although their addresses are private (`READDOCS_ALLOW_HOSTS`), in lower case. */
  readonly allowHosts: readonly string[];
  /** Several principals: pages that were fetched without credentials are everybody's (`share_cache`). */
  readonly sharesFetched?: boolean;
}

/** One call as it is sent to the web Worker. */
export type WebCall = {
  readonly [Method in WebMethod]: {
    readonly method: Method;
    readonly request: Parameters<Web[Method]>[0];
  };
}[WebMethod];
