/** The subscriptions of a legacy session, each with the function that ends its watch. */
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

  /** @param watch begins the watch and returns the function that ends it; not called for a watched URI */
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
