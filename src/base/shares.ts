/** So much of something for all, such as places for sessions or bytes, and so much of it for each owner. */
export class Shares {
  readonly #max: number;
  readonly #eachMax: number;
  /** How much each owner has; not kept where one may have all. */
  readonly #taken = new Map<string, number>();
  #sum = 0;

  /** @param part of the whole that one owner may have; never less than 1 of it */
  constructor(max: number, part = 1) {
    this.#max = max;
    this.#eachMax = Math.max(1, Math.floor(max * part));
  }

  hasRoomFor(owner: string, amount = 1): boolean {
    return (
      this.#sum + amount <= this.#max && (this.#taken.get(owner) ?? 0) + amount <= this.#eachMax
    );
  }

  /** Whether or not there is room. */
  take(owner: string, amount = 1): void {
    this.#sum += amount;
    if (this.#eachMax < this.#max) {
      this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + amount);
    }
  }

  /** At most what was taken. */
  giveBack(owner: string, amount = 1): void {
    this.#sum -= amount;
    const left = (this.#taken.get(owner) ?? 0) - amount;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }
}
