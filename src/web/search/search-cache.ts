import { cacheAgeMsMax, cachedQueriesMax } from "./search-limits.ts";

/** Replies by query, for a while; the one that was not asked for longest goes first. */
export class SearchCache<Reply> {
  /** In the order of their last use; `endsAt` on the clock of `now`. */
  readonly #entries = new Map<string, { readonly reply: Reply; readonly endsAt: number }>();

  /** @param now a clock that only goes forward, in ms */
  constructor(readonly now: () => number = () => performance.now()) {}

  get(key: string): Reply | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.endsAt <= this.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.reply;
  }

  set(key: string, reply: Reply): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= cachedQueriesMax && oldest !== undefined)
      this.#entries.delete(oldest);
    this.#entries.set(key, { reply, endsAt: this.now() + cacheAgeMsMax });
  }
}
