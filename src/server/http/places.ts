import type { Principal } from "../../auth/principal.ts";

/** Places of one kind, such as those for sessions: so many in all, and so many of them for one principal. */
export class Places {
  readonly #max: number;
  readonly #eachMax: number;
  /** How many one principal has, by its id; not kept where one may have all. */
  readonly #taken = new Map<string, number>();
  #size = 0;

  /** @param part of all places that one principal may have */
  constructor(max: number, part = 1) {
    this.#max = max;
    this.#eachMax = Math.max(1, Math.floor(max * part));
  }

  hasRoomFor({ id }: Principal): boolean {
    return this.#size < this.#max && (this.#taken.get(id) ?? 0) < this.#eachMax;
  }

  take({ id }: Principal): void {
    this.#size += 1;
    if (this.#eachMax < this.#max) this.#taken.set(id, (this.#taken.get(id) ?? 0) + 1);
  }

  /** Once for each `take`. */
  giveBack({ id }: Principal): void {
    this.#size -= 1;
    const left = (this.#taken.get(id) ?? 0) - 1;
    if (left > 0) this.#taken.set(id, left);
    else this.#taken.delete(id);
  }
}
