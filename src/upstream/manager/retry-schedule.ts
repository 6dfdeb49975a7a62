import {
  upstreamFailedProbeMs,
  upstreamRetryMs,
  upstreamRetryJitter,
  upstreamServerStableMs,
} from "../../base/upstream-limits.ts";

/** What follows a failure: wait, or count the server as failed and only look at it now and then. */
export interface RetryPlan {
  readonly state: "backoff" | "failed";
  /** Until the next attempt that nobody asked for. */
  readonly delayMs: number;
}

/**
 * When a server that failed is tried again: after 1, 2, 4, 8 and 16 s, the last of them as a failed server, then once a
 * minute. What has run for five minutes begins anew.
 */
export class RetrySchedule {
  readonly #random: () => number;
  #failures = 0;
  #connectedAt: number | undefined;

  /** @param random from 0 to 1, so that the servers of many processes do not come back in step */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** @param now in ms, on any clock that never goes back */
  onConnected(now: number): void {
    this.#connectedAt = now;
  }

  /**
   * It could not be started, or was lost.
   * @param leastMs what the server itself asked for
   */
  onFailure(now: number, leastMs = 0): RetryPlan {
    const ranMs = this.#connectedAt === undefined ? 0 : now - this.#connectedAt;
    if (ranMs >= upstreamServerStableMs) this.#failures = 0;
    this.#connectedAt = undefined;
    this.#failures++;
    const delayMs = upstreamRetryMs[this.#failures - 1] ?? upstreamFailedProbeMs;
    const jitter = 1 + upstreamRetryJitter * (2 * this.#random() - 1);
    return {
      state: this.#failures >= upstreamRetryMs.length ? "failed" : "backoff",
      delayMs: Math.max(Math.round(delayMs * jitter), leastMs),
    };
  }

  /** The user changed something: what was before says nothing. */
  reset(): void {
    this.#failures = 0;
    this.#connectedAt = undefined;
  }
}
