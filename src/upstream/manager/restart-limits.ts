import {
  upstreamStartsMax,
  upstreamStartsWindowMs,
  upstreamFailedProbeMs,
  upstreamRetryJitter,
  upstreamRetryMs,
  upstreamServerStableMs,
} from "../../base/upstream-limits.ts";

/** A started process that has not connected so far. */
interface UselessStart {
  readonly at: number;
}

/**
 * Failed starts of one server on all of its connections. Each connection has its own pauses; where every call or client
 * has its own connection, a server that crashes would otherwise be restarted for each of them.
 */
export class RecentFailures {
  /** In the order of their begin. */
  readonly #starts = new Set<UselessStart>();
  #failedAt = Number.NEGATIVE_INFINITY;
  #reason = "it was started too often";

  /** The reason of the last failure, as the end of a sentence. */
  get reason(): string {
    return this.#reason;
  }

  /**
   * Milliseconds until it may be started again; 0 = now. Without a failure, any number of clients may start it at once.
   */
  waitMs(now: number): number {
    if (now - this.#failedAt >= upstreamStartsWindowMs) return 0;
    const fifth = [...this.#starts].at(-upstreamStartsMax);
    return fifth === undefined ? 0 : Math.max(0, fifth.at + upstreamStartsWindowMs - now);
  }

  onStart(now: number): UselessStart {
    const start = { at: now };
    for (const other of this.#starts) {
      if (now - other.at >= upstreamStartsWindowMs) this.#starts.delete(other);
    }
    this.#starts.add(start);
    return start;
  }

  /** The start succeeded. */
  onUse(start: UselessStart): void {
    this.#starts.delete(start);
  }

  onFailure(now: number, reason: string): void {
    this.#failedAt = now;
    this.#reason = reason;
  }
}

/** Allows at most five starts of a server in ten seconds, over all callers. */
export class StartLimit {
  #startedAt: readonly number[] = [];

  /** Milliseconds until one more may begin; 0 = now. */
  waitMs(now: number): number {
    const fifth = this.#startedAt.at(-upstreamStartsMax);
    return fifth === undefined ? 0 : Math.max(0, fifth + upstreamStartsWindowMs - now);
  }

  onStart(now: number): void {
    this.#startedAt = [...this.#startedAt, now].slice(-upstreamStartsMax);
  }
}

/** The plan after a failure: wait, or mark the server as failed and try it only now and then. */
interface RetryPlan {
  readonly state: "backoff" | "failed";
  /** Until the next automatic attempt. */
  readonly delayMs: number;
}

/**
 * Schedules retries of a failed server: after 1, 2, 4, 8 and 16 s, the last of them as a failed server, then once a
 * minute. Five minutes of running reset the schedule.
 */
export class RetrySchedule {
  readonly #random: () => number;
  #failures = 0;
  #connectedAt: number | undefined;

  /** @param random from 0 to 1, so that many processes do not retry at the same moment */
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

  /** It could not be started, or was lost. @param leastMs the shortest delay that the server asked for */
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

  /** The user changed something: forgets earlier failures. */
  reset(): void {
    this.#failures = 0;
    this.#connectedAt = undefined;
  }
}
