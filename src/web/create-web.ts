import { createGuard } from "./guard/create-guard.ts";
import { PageCache } from "./pages/page-cache.ts";
import { PageLoader } from "./pages/page-loader.ts";
import { type PageRenderer, RenderedPages } from "./pages/rendered-pages.ts";
import { createSearch } from "./search/create-search.ts";
import type { Web } from "./web.ts";
import type { WebOptions } from "./web-options.ts";
import { AppError } from "../base/errors.ts";

const absentBrowser: PageRenderer = {
  render: () => Promise.reject(new AppError("unsupported", "The browser is not built yet.")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Pages, the browser and the search, with one guard before them and one cache behind the first two. */
export function createWeb({ pages, search: searchOptions, proxyEnv }: WebOptions): Web {
  const guard = createGuard({ allowHosts: pages.allowHosts, proxyEnv });
  const cache = new PageCache();
  const loader = new PageLoader({ guard, cache });
  const browser = absentBrowser;
  const rendered = new RenderedPages(browser, cache);
  const search = createSearch(searchOptions, guard);
  return {
    fetchPage: (request, signal) => loader.fetchPage(request, signal),
    renderPage: (request, signal) => rendered.renderPage(request, signal),
    search: (request, signal) => search.search(request, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([browser[Symbol.asyncDispose](), search[Symbol.asyncDispose]()]);
      await guard[Symbol.asyncDispose]();
    },
  };
}
