import type { LoadedPage, RenderPageRequest } from "./loaded-page.ts";
import { SharedWork } from "../../base/shared-work.ts";
import { fetchKey, type PageCache, renderKey } from "./page-cache.ts";
import { parsePageUrl } from "./page-url.ts";

/** Opens pages in a browser. */
export interface PageRenderer extends AsyncDisposable {
  /** @throws AppError as `Web.renderPage` */
  render(request: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage>;
}

/** Pages from the browser, cached as fetched pages are, and never opened twice at the same time. */
export class RenderedPages {
  readonly #renderer: Pick<PageRenderer, "render">;
  readonly #cache: PageCache;
  readonly #shared = new SharedWork<LoadedPage>();

  constructor(renderer: Pick<PageRenderer, "render">, cache: PageCache) {
    this.#renderer = renderer;
    this.#cache = cache;
  }

  /** @throws AppError as `Web.renderPage` */
  async renderPage({ url, waitMs }: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage> {
    const asked = parsePageUrl(url);
    const key = renderKey(asked.url, asked.fragment, waitMs);
    const kept = this.#cache.fresh(key);
    if (kept !== undefined) return { ...kept.page, isCached: true };
    return this.#shared.run(key, signal, async (shared) => {
      const request = { url: asked.url.href + asked.fragment, waitMs };
      const page = await this.#renderer.render(request, shared);
      if (page.status < 400 && !this.#isForbidden(asked.url, page)) {
        this.#cache.set(key, { page, conditions: {} });
      }
      return page;
    });
  }

  /** Whether the server does not want it kept: the browser does not say, but the fetch before it did. */
  #isForbidden(asked: URL, { finalUrl }: LoadedPage): boolean {
    const arrived = URL.parse(finalUrl);
    if (arrived !== null) arrived.hash = "";
    return [asked, arrived].some((url) => url !== null && this.#cache.isForbidden(fetchKey(url)));
  }
}
