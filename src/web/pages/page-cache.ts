import { pageCacheAgeMsMax, pageCacheBytesMax } from "../../base/limits.ts";
import { SharedWork } from "../../base/shared-work.ts";
import { type LoadedPage, parsePageUrl, type RenderPageRequest } from "./page-url.ts";

/** The cached form of a page: everything but the spelling of the requested URL. */
export interface KeptPage {
  readonly page: LoadedPage;
  /** Headers that ask the server whether it is still the same; empty when the server gave no validator. */
  readonly conditions: Readonly<Record<string, string>>;
}

interface Entry {
  readonly kept: KeptPage;
  /** Bytes of its strings, about. */
  readonly size: number;
  /** On the clock of the cache. */
  freshUntil: number;
}

/** URLs of which nothing may be kept: those that one reader goes back and forth between are some ten. */
const forbiddenMax = 500;

/** Every entry costs something besides its text. */
const entryBytes = 1024;

/** The part of a cache that one principal has. */
export type OwnCache = Pick<PageCache, "now" | "fresh" | "any" | "set" | "forbid" | "isForbidden">;

/**
 * Pages by key, in memory only: the least recently used are dropped first. A page that is older than a quarter of an
 * hour stays as long as there is room, for conditional requests.
 */
export class PageCache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #forbidden = new Set<string>();
  #size = 0;

  /** @param now a clock in ms that only goes forward */
  constructor(
    readonly sizeMax: number = pageCacheBytesMax,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** This cache for one principal: the room is shared, the keys are its own. */
  of(owner: string): OwnCache {
    if (owner === "") return this;
    const own = (key: string): string => `${owner}\n${key}`;
    return {
      now: this.now,
      fresh: (key) => this.fresh(own(key)),
      any: (key) => this.any(own(key)),
      set: (key, kept) => this.set(own(key), kept),
      forbid: (key) => this.forbid(own(key)),
      isForbidden: (key) => this.isForbidden(own(key)),
    };
  }

  /** Undefined when it is missing or too old. */
  fresh(key: string): KeptPage | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.freshUntil <= this.now()) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.kept;
  }

  /** However old it is. */
  any(key: string): KeptPage | undefined {
    return this.#entries.get(key)?.kept;
  }

  set(key: string, kept: KeptPage): void {
    this.delete(key);
    const size = sizeOf(kept.page);
    if (size > this.sizeMax) return;
    this.#entries.set(key, { kept, size, freshUntil: this.now() + pageCacheAgeMsMax });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.sizeMax) break;
      this.delete(oldest);
    }
  }

  /** Says of a URL that nothing of it may be kept; the browser does not report it. */
  forbid(key: string): void {
    this.delete(key);
    this.#forbidden.delete(key);
    this.#forbidden.add(key);
    const [oldest] = this.#forbidden;
    if (this.#forbidden.size > forbiddenMax && oldest !== undefined) this.#forbidden.delete(oldest);
  }

  isForbidden(key: string): boolean {
    return this.#forbidden.has(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}

/** The key of the result of a plain request for `url`; fragments are ignored. */
export function fetchKey(url: URL): string {
  return `fetch ${url.href}`;
}

/** The key of a page in the browser: there the fragment may choose the page, and the wait its content. */
function renderKey(url: URL, fragment: string, waitMs: number): string {
  return `browser ${waitMs} ${url.href}${fragment}`;
}

function sizeOf({ body, url, finalUrl, notes }: LoadedPage): number {
  const others = entryBytes + url.length + finalUrl.length + notes.join("").length;
  switch (body.kind) {
    case "text":
      return others + body.text.length * bytesPerChar(body.text);
    case "bytes":
      return others + body.base64.length;
    case "none":
      return others;
  }
}

/** One character outside of Latin-1 makes all of a string twice as large. */
function bytesPerChar(text: string): 1 | 2 {
  return /[\u0100-\uffff]/.test(text) ? 2 : 1;
}

/** Opens pages in a browser. */
export interface PageRenderer extends AsyncDisposable {
  /** @throws AppError as `Web.renderPage` */
  render(request: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage>;
}

/** Pages from the browser, cached as fetched pages are, and never opened twice at the same time. */
export class RenderedPages {
  readonly #renderer: Pick<PageRenderer, "render">;
  readonly #cache: OwnCache;
  readonly #fetched: Pick<OwnCache, "isForbidden">;
  readonly #shared = new SharedWork<LoadedPage>();

  /** @param fetched the cache of fetched pages, where it is another */
  constructor(
    renderer: Pick<PageRenderer, "render">,
    cache: OwnCache,
    fetched: Pick<OwnCache, "isForbidden"> = cache,
  ) {
    this.#renderer = renderer;
    this.#cache = cache;
    this.#fetched = fetched;
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
    return [asked, arrived].some((url) => url !== null && this.#fetched.isForbidden(fetchKey(url)));
  }
}
