import { upstreamStartsMax, upstreamStartsWindowMs } from "../../base/upstream-limits.ts";

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
