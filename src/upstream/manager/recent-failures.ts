import { upstreamStartsMax, upstreamStartsWindowMs } from "../../base/upstream-limits.ts";

/** A process that was started and has not been of use so far. */
interface UselessStart {
  readonly at: number;
}

/**
 * Starts of one server on all of its connections that came to nothing. Each connection has its own pauses; where every call
 * or client has a connection of its own, a server that crashes would be started anew with each of them.
 */
export class RecentFailures {
  /** In the order in which they were begun. */
  readonly #starts = new Set<UselessStart>();
  #failedAt = Number.NEGATIVE_INFINITY;
  #reason = "it was started too often";

  /** Why it failed last, as the end of a sentence. */
  get reason(): string {
    return this.#reason;
  }

  /** Milliseconds until it may be started again; 0 = now. While nothing has failed any number of clients may come at once. */
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

  /** It has come to something. */
  onUse(start: UselessStart): void {
    this.#starts.delete(start);
  }

  onFailure(now: number, reason: string): void {
    this.#failedAt = now;
    this.#reason = reason;
  }
}
