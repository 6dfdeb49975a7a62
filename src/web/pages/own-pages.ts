import { pagesLoadingMax } from "../../base/limits.ts";
import { Turns } from "../../base/turns.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import { PageCache, type PageRenderer, RenderedPages } from "./page-cache.ts";
import { PageLoader } from "./page-loader.ts";
import type { FetchPageRequest, LoadedPage, RenderPageRequest } from "./page-url.ts";

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
