import type { Clock } from "../../../src/server/auth/clock.ts";

/** Both times stand still until a test moves them. Starts at the real date, for real tokens. */
export class TestClock implements Clock {
  #wallMs = Date.now();
  #monotonicMs = 1000;

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Somebody sets the clock of the machine. */
  setWall(ms: number): void {
    this.#wallMs = ms;
  }
}
