import { pageCacheAgeMsMax } from "../../base/limits.ts";

/** Where a URL led. */
export interface Way {
  /** Without fragment. */
  readonly url: URL;
  /** Of the last redirect that had one; empty when none had. */
  readonly fragment: string;
  readonly notes: readonly string[];
}

/** As many as there may be pages in the cache that are worth it; each takes some hundred bytes. */
const waysMax = 1000;

/** Where URLs led, as long as their pages are kept: paging through one makes no requests at all. */
export class RedirectMemory {
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
