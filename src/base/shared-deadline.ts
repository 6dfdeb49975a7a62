import { IdTable } from "./id-table.ts";

interface Wait {
  /** On the clock of `performance.now()`. */
  readonly dueAt: number;
  readonly onLate: () => void;
}

/** How late it may be, as a part of the time. */
const looksPerWait = 8;

/** One timer for many waits that all may take the same time; what ends in time costs its place in a table only. */
export class SharedDeadline {
  readonly #waiting = new IdTable<Wait>();
  #isLookDue = false;

  constructor(readonly msMax: number) {}

  /** Calls `onLate` once, after `msMax` and up to an eighth of it. Returns the number of this wait, for `end`. */
  begin(onLate: () => void): number {
    this.#lookLater();
    return this.#waiting.add({ dueAt: performance.now() + this.msMax, onLate });
  }

  /** It was in time. */
  end(number: number): void {
    this.#waiting.delete(number);
  }

  #lookLater(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    setTimeout(() => this.#look(), this.msMax / looksPerWait).unref();
  }

  #look(): void {
    this.#isLookDue = false;
    const now = performance.now();
    for (const [number, { dueAt, onLate }] of this.#waiting.entries()) {
      if (dueAt > now || !this.#waiting.delete(number)) continue;
      onLate();
    }
    if (this.#waiting.size > 0) this.#lookLater();
  }
}
