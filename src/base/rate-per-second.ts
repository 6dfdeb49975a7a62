type RateClock = () => number;

/** Counts what each of many does in a second; holds nothing of the second before. */
export class RatePerSecond {
  readonly #perSecondMax: number;
  readonly #now: RateClock;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor(perSecondMax: number, now: RateClock = () => performance.now()) {
    this.#perSecondMax = perSecondMax;
    this.#now = now;
  }

  /** Counts one more; false when that is too many. @param who such as a client or a server */
  take(who: string): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    return count <= this.#perSecondMax;
  }
}
