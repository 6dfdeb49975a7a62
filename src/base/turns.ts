import { AppError } from "./errors.ts";

/** Given back when the work is done; idempotent. */
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
    assertWanted(signal);
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
    // The place goes over to who waited longest.
    if (next === undefined) this.#taken--;
    else next();
  }
}

export function cancelledError(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}

/** @throws AppError `cancelled` */
export function assertWanted(signal: AbortSignal): void {
  if (signal.aborted) throw cancelledError();
}
