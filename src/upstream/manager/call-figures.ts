import {
  upstreamCircuitOpenMs,
  upstreamCircuitTimeoutsMax,
  upstreamLatenciesKept,
} from "../../base/upstream-limits.ts";
import type { CallFacts, CallTrouble } from "../status/server-info.ts";

/** Counts the calls to one server and measures the latest of them. */
export class CallFigures {
  #calls = 0;
  #failures = 0;
  #resultBytes = 0;
  readonly #latencies: number[] = [];
  #next = 0;

  onAnswer(tookMs: number, resultBytes: number): void {
    this.#calls++;
    this.#resultBytes += resultBytes;
    this.#latencies[this.#next] = tookMs;
    this.#next = (this.#next + 1) % upstreamLatenciesKept;
  }

  onFailure(): void {
    this.#calls++;
    this.#failures++;
  }

  facts(): CallFacts {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    return {
      calls: this.#calls,
      failures: this.#failures,
      resultBytes: this.#resultBytes,
      p50Ms: percentile(sorted, 0.5),
      p95Ms: percentile(sorted, 0.95),
    };
  }
}

function percentile(sorted: readonly number[], part: number): number | null {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
  return value === undefined ? null : Math.round(value);
}

/**
 * After five calls in a row that took too long, calls to the server fail at once for a minute, instead of each waiting
 * for its limit. Then one call is let through as a trial.
 */
export class CircuitBreaker {
  #timeouts = 0;
  #openUntil = Number.NEGATIVE_INFINITY;
  #isTrialRunning = false;
  #isRefused = false;

  /**
   * Milliseconds until a call may be tried; 0 = this one may. After 0, the caller must report the outcome.
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

  /** The server answered, even if with an error, or was connected again. */
  onAnswer(): void {
    this.#isTrialRunning = false;
    this.#isRefused = false;
    this.#timeouts = 0;
  }

  /** The server wanted a login. */
  onRefused(): void {
    this.onAnswer();
    this.#isRefused = true;
  }

  /** The call ended without information about the server: it was cancelled, or the connection was lost. */
  onOther(): void {
    this.#isTrialRunning = false;
  }
}
