/** Places at the beginning; always a power of two. */
const placesMin = 64;
/** Ids stay small integers: they cross to Workers in 32 bits. */
const idMax = 2 ** 30;

/**
 * Things that come and go quickly, by numbers that it gives out. A number is given out again only after a thousand
 * million others.
 *
 * Not a `Map` or a `Set`: these replace their inner table every few dozen entries, and each old table keeps what it
 * held alive until a full collection. With 64 calls in flight that was 5 kB and 4 µs of collecting for each call.
 */
export class IdTable<Item extends object> {
  #items: (Item | undefined)[] = newPlaces(placesMin);
  /** The id of the item at the same place. */
  #ids: number[] = newIds(placesMin);
  #lastId = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Its id, which is above 0. */
  add(item: Item): number {
    if (this.#size * 2 >= this.#items.length) this.#grow();
    let id = this.#lastId;
    do {
      id = id >= idMax ? 1 : id + 1;
    } while (this.#items[this.#placeOf(id)] !== undefined);
    this.#lastId = id;
    this.#put(id, item);
    this.#size += 1;
    return id;
  }

  get(id: number): Item | undefined {
    const place = this.#placeOf(id);
    return this.#ids[place] === id ? this.#items[place] : undefined;
  }

  /** False when it was not there. */
  delete(id: number): boolean {
    if (this.get(id) === undefined) return false;
    this.#items[this.#placeOf(id)] = undefined;
    this.#size -= 1;
    return true;
  }

  /** Those that are there now, in no order; what is added or deleted meanwhile changes nothing. */
  entries(): [id: number, item: Item][] {
    const entries: [id: number, item: Item][] = [];
    for (const [place, item] of this.#items.entries()) {
      if (item !== undefined) entries.push([this.#ids[place] ?? 0, item]);
    }
    return entries;
  }

  /** As `entries`, without the ids. */
  values(): Item[] {
    return this.entries().map(([, item]) => item);
  }

  #placeOf(id: number): number {
    return id & (this.#items.length - 1);
  }

  #put(id: number, item: Item): void {
    const place = this.#placeOf(id);
    this.#items[place] = item;
    this.#ids[place] = id;
  }

  /** Ids that had different places still have. */
  #grow(): void {
    const items = this.#items;
    const ids = this.#ids;
    this.#items = newPlaces(items.length * 2);
    this.#ids = newIds(items.length * 2);
    for (const [place, item] of items.entries()) {
      if (item !== undefined) this.#put(ids[place] ?? 0, item);
    }
  }
}

function newPlaces<Item>(count: number): (Item | undefined)[] {
  return Array.from({ length: count }, () => undefined);
}

function newIds(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
