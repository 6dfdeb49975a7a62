import type { McpTaskClock } from "../../../src/server/tasks/mcp-tasks.ts";

/** A clock that stands still until a test moves it. */
export class FakeClock implements McpTaskClock {
  #nowMs = 0;
  readonly #timers = new Map<object, { readonly at: number; readonly fire: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  startTimer(delayMs: number, fire: () => void): { stop(): void } {
    const timer = { stop: (): void => void this.#timers.delete(timer) };
    this.#timers.set(timer, { at: this.#nowMs + delayMs, fire });
    return timer;
  }

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Moves to `nowMs` and fires what is due, in order. */
  moveTo(nowMs: number): void {
    this.#nowMs = nowMs;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= nowMs);
      const [first] = due.sort(([, a], [, b]) => a.at - b.at);
      if (first === undefined) return;
      this.#timers.delete(first[0]);
      first[1].fire();
    }
  }

  /** Moves without firing anything: as if the timers were late. */
  jumpTo(nowMs: number): void {
    this.#nowMs = nowMs;
  }
}
