import type { Libc } from "./libc.ts";

/** Looked at at first; a server without clients has some thirty. */
const extentMin = 256;
/** A `struct pollfd`: the descriptor, then the requested and the returned events as halves of a number. */
const wordsEach = 2;
/** Returned for a number that is not an open descriptor. */
const POLLNVAL = 0x20;

/**
 * The open descriptors of this process, found without opening one: a listing of `/proc/self/fd` fails just when
 * there are too many. Numbers are given out from below, so only as many are looked at as are in use, by and large:
 * 10 µs for a quiet server, 40 ns for each number of a busy one.
 */
export class OpenDescriptors {
  readonly #libc: Pick<Libc, "pollNow">;
  readonly #numbersMax: number;
  #polled: Int32Array = new Int32Array(0);

  /** @param numbersMax above it none is looked for; not more than this process may have */
  constructor(libc: Pick<Libc, "pollNow">, numbersMax: number) {
    this.#libc = libc;
    this.#numbersMax = numbersMax;
    this.#look(extentMin);
  }

  /** In rising order. */
  list(): number[] {
    const open = this.#look(this.#extent);
    // One step down for each look: a closed descriptor below does not immediately hide an open one above.
    if (this.#extent > extentMin && !this.#isUpperHalfUsed(open)) this.#resize(this.#extent / 2);
    return open;
  }

  get #extent(): number {
    return this.#polled.length / wordsEach;
  }

  /** Twice as many as long as the upper half of them is in use. */
  #look(extent: number): number[] {
    if (extent !== this.#extent) this.#resize(extent);
    const open = this.#poll();
    const isAll = this.#extent >= this.#numbersMax;
    return isAll || !this.#isUpperHalfUsed(open) ? open : this.#look(extent * 2);
  }

  #isUpperHalfUsed(open: readonly number[]): boolean {
    return (open.at(-1) ?? 0) >= this.#extent / 2;
  }

  #poll(): number[] {
    if (!this.#libc.pollNow(this.#polled)) return [];
    const open: number[] = [];
    for (let fd = 0; fd < this.#extent; fd++) {
      const events = this.#polled[fd * wordsEach + 1] ?? 0;
      if (((events >> 16) & POLLNVAL) === 0) open.push(fd);
    }
    return open;
  }

  #resize(extent: number): void {
    const length = Math.min(Math.ceil(extent), this.#numbersMax);
    this.#polled = new Int32Array(length * wordsEach);
    for (let fd = 0; fd < length; fd++) this.#polled[fd * wordsEach] = fd;
  }
}
