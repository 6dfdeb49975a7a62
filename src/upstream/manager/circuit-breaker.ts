import { upstreamCircuitOpenMs, upstreamCircuitTimeoutsMax } from "../../base/upstream-limits.ts";

/** Why the last calls to a server were of no use, though it is connected. */
export type CallTrouble = "slow" | "login";

/**
 * After five calls in a row that took too long a server is left alone for a minute: calls fail at once instead of each
 * waiting for its limit. Then one call is let through to see.
 */
export class CircuitBreaker {
  #timeouts = 0;
  #openUntil = Number.NEGATIVE_INFINITY;
  #isTrialRunning = false;
  #isRefused = false;

  /**
   * Milliseconds until a call may be tried; 0 = this one may. Whoever got 0 tells how it ended.
   * @param now in ms, on any clock that never goes back
   */
  enter(now: number): number {
    if (this.#timeouts < upstreamCircuitTimeoutsMax) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (this.#isTrialRunning) return upstreamCircuitOpenMs;
    this.#isTrialRunning = true;
    return 0;
  }

  trouble(now: number): CallTrouble | undefined {
    if (this.#isRefused) return "login";
    const isOpen = this.#timeouts >= upstreamCircuitTimeoutsMax && now < this.#openUntil;
    return isOpen ? "slow" : undefined;
  }

  onTimeout(now: number): void {
    this.#isTrialRunning = false;
    this.#timeouts++;
    if (this.#timeouts >= upstreamCircuitTimeoutsMax) this.#openUntil = now + upstreamCircuitOpenMs;
  }

  /** It answered, be it with an error; or was connected anew. */
  onAnswer(): void {
    this.#isTrialRunning = false;
    this.#isRefused = false;
    this.#timeouts = 0;
  }

  /** It wanted a login. */
  onRefused(): void {
    this.onAnswer();
    this.#isRefused = true;
  }

  /** The call ended without telling anything of the server: cancelled, or the connection was lost. */
  onOther(): void {
    this.#isTrialRunning = false;
  }
}
