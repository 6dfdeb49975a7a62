import { AppError } from "../../base/errors.ts";
import {
  pageCacheAgeMsMax,
  pageFetchMsMax,
  pageRedirectsMax,
  pagesLoadingMax,
} from "../../base/limits.ts";
import { product } from "../../base/product.ts";
import { SharedWork } from "../../base/shared-work.ts";
import { Turns } from "../../base/turns.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import { type Arrival, followRedirects, refreshTarget } from "./follow-redirects.ts";
import { fetchKey, type KeptPage, type OwnCache } from "./page-cache.ts";
import {
  assertReadable,
  type FetchPageRequest,
  type LoadedPage,
  type PageUrl,
  parsePageUrl,
  splitFragment,
} from "./page-url.ts";
import { withinDeadline } from "./read-capped.ts";
import { readResponse } from "./read-response.ts";

/** Where a URL led. */
interface Way {
  /** Without fragment. */
  readonly url: URL;
  /** The fragment of the last redirect that had one; empty when none had. */
  readonly fragment: string;
  readonly notes: readonly string[];
}

/** As many as there may be pages in the cache that are worth it; each takes some hundred bytes. */
const waysMax = 1000;

/** Where URLs led, as long as their pages are kept: paging through one makes no requests at all. */
class RedirectMemory {
  readonly #ways = new Map<string, { readonly way: Way; readonly endsAt: number }>();

  /** @param now a clock in ms that only goes forward */
  constructor(readonly now: () => number = () => performance.now()) {}

  get(url: URL): Way | undefined {
    const entry = this.#ways.get(url.href);
    return entry !== undefined && entry.endsAt > this.now() ? entry.way : undefined;
  }

  set(url: URL, way: Way): void {
    this.#ways.delete(url.href);
    this.#ways.set(url.href, { way, endsAt: this.now() + pageCacheAgeMsMax });
    const [oldest] = this.#ways.keys();
    if (this.#ways.size > waysMax && oldest !== undefined) this.#ways.delete(oldest);
  }
}

export interface PageLoaderParts {
  readonly guard: Pick<NetworkGuard, "fetch">;
  /** Shared with the browser. */
  readonly cache: OwnCache;
  /** Several principals have this cache: what a server has made for one visitor is not kept. */
  readonly isForAll?: boolean;
  readonly msMax?: number;
  readonly loadingMax?: number;
  /** The turns of all loaders, where there are several. */
  readonly turns?: Turns;
}

/** The result of one request, for all callers of the same URL at the same time. */
interface Loaded {
  readonly way: Way;
  readonly page: LoadedPage;
}

/** Markdown before HTML: some servers have it ready (docs/pages.md#the-request). */
const requestHeaders = {
  Accept: "text/markdown;q=1, text/html;q=.9, application/json;q=.8, */*;q=.5",
  "User-Agent": `Mozilla/5.0 (compatible; ${product.name}/${product.version})`,
} as const;

/** Gets pages without a browser. */
export class PageLoader {
  readonly #parts: PageLoaderParts;
  readonly #msMax: number;
  readonly #shared = new SharedWork<Loaded>();
  readonly #ways: RedirectMemory;
  readonly #turns: Turns;

  constructor(parts: PageLoaderParts) {
    this.#parts = parts;
    this.#msMax = parts.msMax ?? pageFetchMsMax;
    this.#turns = parts.turns ?? new Turns(parts.loadingMax ?? pagesLoadingMax);
    this.#ways = new RedirectMemory(parts.cache.now);
  }

  /**
   * The page at the URL now, or within the last quarter of an hour. Also a page with a status of 400 and more is a
   * page.
   * @throws AppError as `Web.fetchPage`
   */
  async fetchPage({ url }: FetchPageRequest, signal: AbortSignal): Promise<LoadedPage> {
    const asked = parsePageUrl(url);
    const known = this.#kept(asked.url);
    if (known !== undefined) return shown(asked, known);
    const loaded = await this.#shared.run(fetchKey(asked.url), signal, async (shared) => {
      using _turn = await this.#turns.take(shared);
      return await this.#load(asked.url, shared);
    });
    return shown(asked, loaded);
  }

  #kept(url: URL): Loaded | undefined {
    const way = this.#ways.get(url) ?? { url, fragment: "", notes: [] };
    const kept = this.#parts.cache.fresh(fetchKey(way.url));
    return kept && { way, page: { ...kept.page, isCached: true } };
  }

  /** Everything within one deadline. */
  #load(url: URL, signal: AbortSignal): Promise<Loaded> {
    const seconds = this.#msMax / 1000;
    return withinDeadline(
      this.#msMax,
      signal,
      (either) => this.#loadWithin(url, either),
      () => new AppError("limit", `${url.host} did not answer within ${seconds} s.`),
    );
  }

  /** Follows the page itself, too, when it is one that only sends its reader on. */
  async #loadWithin(start: URL, signal: AbortSignal): Promise<Loaded> {
    const visited = new Set<string>();
    const loaded = await this.#loadOne(start, start, visited, signal);
    return this.#goOn(start, loaded, visited, signal);
  }

  async #goOn(
    start: URL,
    loaded: Loaded,
    visited: Set<string>,
    signal: AbortSignal,
  ): Promise<Loaded> {
    const target = await refreshTarget(loaded.page);
    if (target === undefined) return loaded;
    const { url, fragment } = splitFragment(target);
    if (visited.has(url.href) || visited.size > pageRedirectsMax) return loaded;
    try {
      assertReadable(url);
      const next = await this.#loadOne(url, start, visited, signal);
      const way: Way = {
        url: next.way.url,
        fragment: next.way.fragment || fragment || loaded.way.fragment,
        notes: [...loaded.way.notes, ...next.way.notes],
      };
      this.#ways.set(start, way);
      return await this.#goOn(start, { way, page: next.page }, visited, signal);
    } catch (error) {
      // The page that leads there is a page as well, and a browser may get further.
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return loaded;
    }
  }

  async #loadOne(
    start: URL,
    pageUrl: URL,
    visited: Set<string>,
    signal: AbortSignal,
  ): Promise<Loaded> {
    const { guard, cache } = this.#parts;
    /** Pages that were asked for with conditions on the way. */
    const offered = new Map<string, KeptPage>();
    const headersFor = (url: URL): Readonly<Record<string, string>> => {
      const kept = cache.any(fetchKey(url));
      if (kept !== undefined) offered.set(url.href, kept);
      return { ...requestHeaders, ...kept?.conditions };
    };
    const options = { guard, headersFor, signal, pageUrl, visited };
    const arrival = await followRedirects(start, options);
    const { url, fragment, notes, response } = arrival;
    const way: Way = { url, fragment, notes };
    if (url.href !== start.href) this.#ways.set(start, way);
    const same = response.status === 304 ? offered.get(url.href) : undefined;
    if (same === undefined) return { way, page: await this.#read(arrival, signal) };
    void response.body?.cancel().catch(() => {});
    cache.set(fetchKey(url), same);
    return { way, page: { ...same.page, isCached: true } };
  }

  async #read({ url, response }: Arrival, signal: AbortSignal): Promise<LoadedPage> {
    const { cache, isForAll } = this.#parts;
    const { contentType, body, notes, isComplete } = await readResponse(response, signal);
    const { status } = response;
    const page: LoadedPage = {
      url: url.href,
      finalUrl: url.href,
      status,
      contentType,
      body,
      via: "fetch",
      isCached: false,
      notes,
    };
    const key = fetchKey(url);
    if (isNoStore(response)) cache.forbid(key);
    else if (isForAll === true && isForOne(response)) return page;
    else if (status < 400 && isComplete)
      cache.set(key, { page, conditions: conditionsOf(response) });
    return page;
  }
}

/** The page under the caller's URL: with the fragment, unless a redirect set its own. */
function shown(asked: PageUrl, { way, page }: Loaded): LoadedPage {
  return {
    ...page,
    url: asked.url.href + asked.fragment,
    finalUrl: way.url.href + (way.fragment || asked.fragment),
    notes: [...way.notes, ...page.notes],
  };
}

function isNoStore(response: Response): boolean {
  return /(?:^|[\s,])no-store(?:$|[\s,])/i.test(response.headers.get("cache-control") ?? "");
}

/** Made for the visitor who asked, as far as the server says. */
function isForOne({ headers }: Response): boolean {
  const isPrivate = /(?:^|[\s,])private(?:$|[\s,=])/i.test(headers.get("cache-control") ?? "");
  return isPrivate || headers.has("set-cookie");
}

function conditionsOf({ headers }: Response): Record<string, string> {
  const etag = headers.get("etag");
  const modified = headers.get("last-modified");
  return {
    ...(etag !== null && { "If-None-Match": etag }),
    ...(modified !== null && { "If-Modified-Since": modified }),
  };
}
