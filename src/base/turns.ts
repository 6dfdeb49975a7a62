import { assertNotAborted } from "./cancellation.ts";
import { cancelledError } from "./errors.ts";

/** A place to work. Disposing it gives it back when the work is done; idempotent. */
export interface Turn extends Disposable {
  [Symbol.dispose](): void;
}

/** Lets at most `max` work at a time; the others wait in the order in which they came. */
export class Turns {
  readonly #max: number;
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** How many have their turn. */
  get taken(): number {
    return this.#taken;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** @throws AppError `cancelled` when `signal` says so before the turn comes */
  async take(signal: AbortSignal): Promise<Turn> {
    assertNotAborted(signal);
    if (this.#taken >= this.#max) await this.#wait(signal);
    else this.#taken++;
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack();
        isTaken = false;
      },
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== start);
        reject(cancelledError());
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(start);
    });
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    // The place goes to the work that has waited longest.
    if (next === undefined) this.#taken--;
    else next();
  }
}

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

/**
 * Lets everything else that waits have its turn. By the global timer: loading `node:timers/promises` would cost each start a
 * millisecond.
 */
export function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
