import { endLazy, Lazy } from "../base/lazy.ts";
import type { BrowserOptions } from "./browser/create-browser.ts";
import { createGuard } from "./guard/create-guard.ts";
import { type NetworkGuard } from "./guard/network-guard.ts";
import { OwnPages } from "./pages/own-pages.ts";
import type { PageRenderer } from "./pages/page-cache.ts";
import type { WebSearch } from "./search/create-search.ts";
import type { SearchOptions } from "./search/engine.ts";
import type { Web, WebOptions } from "./web.ts";

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
