/** Time in milliseconds that never goes back; tests bring their own. */
export type RateClock = () => number;

/** Counts what each client does in a second; holds nothing of the second before. */
export class CallRate {
  readonly #perSecondMax: number;
  readonly #now: RateClock;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor(perSecondMax: number, now: RateClock = () => performance.now()) {
    this.#perSecondMax = perSecondMax;
    this.#now = now;
  }

  /** Counts one more; false when that is too many. */
  take(clientId: string): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(clientId) ?? 0) + 1;
    this.#counts.set(clientId, count);
    return count <= this.#perSecondMax;
  }
}
