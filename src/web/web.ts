import { endLazy, Lazy } from "../base/lazy.ts";
import { pagesLoadingMax } from "../base/limits.ts";
import { Turns } from "../base/turns.ts";
import type { JsonText } from "../base/weight.ts";
import type { BrowserOptions } from "./browser/create-browser.ts";
import { createGuard } from "./guard/create-guard.ts";
import type { NetworkGuard } from "./guard/network-guard.ts";
import { PageCache, type PageRenderer, RenderedPages } from "./pages/page-cache.ts";
import { PageLoader } from "./pages/page-loader.ts";
import type { FetchPageRequest, LoadedPage, RenderPageRequest } from "./pages/page-url.ts";
import type { WebSearch } from "./search/create-search.ts";
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

/**
 * Pages, the browser and the search, with one guard before them and one cache behind the first two. Code that a page that
 * is only fetched does not need is not loaded.
 */
export function createWeb({ pages, browser, search, proxyEnv }: WebOptions): Web {
  const guard = createGuard({ allowHosts: pages.allowHosts, proxyEnv });
  const renderer = lazyBrowser(browser, guard);
  const own = new OwnPages({
    guard,
    renderer: { render: async (request, signal) => (await renderer.get()).render(request, signal) },
    sharesFetched: pages.sharesFetched === true,
  });
  const searching = lazySearch(search, guard);
  return {
    fetchPage: (request, signal) => own.fetchPage(request, signal),
    renderPage: (request, signal) => own.renderPage(request, signal),
    search: async (request, signal) => (await searching.get()).search(request, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([endLazy(renderer), endLazy(searching)]);
      await guard[Symbol.asyncDispose]();
    },
  };
}

function lazyBrowser(options: BrowserOptions, guard: NetworkGuard): Lazy<PageRenderer> {
  return new Lazy(async () => {
    const { createBrowser } = await import("./browser/create-browser.ts");
    return createBrowser(options, guard);
  });
}

function lazySearch(options: SearchOptions, guard: NetworkGuard): Lazy<WebSearch> {
  return new Lazy(async () => {
    const { createSearch } = await import("./search/create-search.ts");
    return createSearch(options, guard);
  });
}

/** Principals of whom it is remembered where addresses led; the pages of others stay in the cache. */
const ownersMax = 200;

interface OwnPagesParts {
  readonly guard: Pick<NetworkGuard, "fetch">;
  readonly renderer: Pick<PageRenderer, "render">;
  /** Pages that were fetched without credentials are everybody's. */
  readonly sharesFetched: boolean;
  readonly cache?: PageCache;
}

interface Pages {
  readonly loader: PageLoader;
  readonly rendered: RenderedPages;
}

/** Fetched and rendered pages, of each principal for itself, in the room of one cache. */
export class OwnPages {
  readonly #parts: OwnPagesParts;
  readonly #cache: PageCache;
  readonly #turns = new Turns(pagesLoadingMax);
  /** In the order of their last use. */
  readonly #pages = new Map<string, Pages>();

  constructor(parts: OwnPagesParts) {
    this.#parts = parts;
    this.#cache = parts.cache ?? new PageCache();
  }

  /** @throws AppError as `Web.fetchPage` */
  fetchPage(request: FetchPageRequest, signal: AbortSignal): Promise<LoadedPage> {
    const { cacheOwner = "", url } = request;
    const isShared = this.#parts.sharesFetched && !hasCredentials(url);
    return this.#of(isShared ? "" : cacheOwner).loader.fetchPage(request, signal);
  }

  /** @throws AppError as `Web.renderPage` */
  renderPage(request: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage> {
    return this.#of(request.cacheOwner ?? "").rendered.renderPage(request, signal);
  }

  #of(owner: string): Pages {
    const pages = this.#pages.get(owner) ?? this.#make(owner);
    this.#pages.delete(owner);
    this.#pages.set(owner, pages);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > ownersMax && oldest !== undefined) this.#pages.delete(oldest);
    return pages;
  }

  #make(owner: string): Pages {
    const { guard, renderer, sharesFetched } = this.#parts;
    const cache = this.#cache.of(owner);
    const isForAll = sharesFetched && owner === "";
    return {
      loader: new PageLoader({ guard, cache, isForAll, turns: this.#turns }),
      rendered: new RenderedPages(renderer, cache, {
        isForbidden: (key) =>
          cache.isForbidden(key) || (sharesFetched && this.#cache.isForbidden(key)),
      }),
    };
  }
}

/** A password in the address; a fetch sends no others. */
function hasCredentials(url: string): boolean {
  const parsed = URL.parse(url.trim());
  return parsed === null || parsed.username !== "" || parsed.password !== "";
}
