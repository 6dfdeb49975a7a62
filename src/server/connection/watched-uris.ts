/** What a legacy session has subscribed to, each with what ends the watch over it. */
export class WatchedUris {
  readonly #stops = new Map<string, () => void>();

  get size(): number {
    return this.#stops.size;
  }

  has(uri: string): boolean {
    return this.#stops.has(uri);
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#stops.keys();
  }

  /** @param watch begins the watch and returns what ends it; not called for what is watched already */
  add(uri: string, watch: () => () => void): void {
    if (!this.#stops.has(uri)) this.#stops.set(uri, watch());
  }

  delete(uri: string): void {
    this.#stops.get(uri)?.();
    this.#stops.delete(uri);
  }

  clear(): void {
    for (const uri of this) this.delete(uri);
  }
}
