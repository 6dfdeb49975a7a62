import type { Timer } from "../../../src/base/cancellation.ts";

interface Waiting {
  readonly at: number;
  readonly fire: () => void;
}

/** A machine's time that a test moves: timers and the monotonic clock stand still while it sleeps. */
export class FakeTime {
  monotonicMs = 5_000;
  /** Since the start of the machine. */
  uptimeMs = 100_250;
  /** How many timers were ever started, and how many wait. */
  started = 0;
  readonly #waiting = new Set<Waiting>();

  get waiting(): number {
    return this.#waiting.size;
  }

  /** In whole seconds, as systems give it. */
  readonly sources = {
    monotonicMs: (): number => this.monotonicMs,
    uptimeMs: (): number => Math.floor(this.uptimeMs / 1_000) * 1_000,
  };

  readonly startTimer = (delayMs: number, fire: () => void): Timer => {
    const waiting = { at: this.monotonicMs + delayMs, fire };
    this.started += 1;
    this.#waiting.add(waiting);
    return { stop: () => void this.#waiting.delete(waiting) };
  };

  /** Lets time pass while the machine is awake. */
  pass(ms: number): void {
    const end = this.monotonicMs + ms;
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.at > end) break;
      this.#advance(Math.max(0, next.at - this.monotonicMs));
      this.#waiting.delete(next);
      next.fire();
    }
    this.#advance(end - this.monotonicMs);
  }

  /** The machine sleeps: only what counts from its start goes on. */
  sleep(ms: number): void {
    this.uptimeMs += ms;
  }

  #advance(ms: number): void {
    this.monotonicMs += ms;
    this.uptimeMs += ms;
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (next === undefined || waiting.at < next.at) next = waiting;
    }
    return next;
  }
}
