import { upstreamLatenciesKept } from "../../base/upstream-limits.ts";

/** What `mcp status` says of the calls to one server. */
export interface CallFacts {
  readonly calls: number;
  readonly failures: number;
  readonly resultBytes: number;
  /** Milliseconds; null before the first answer. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Counts the calls to one server and how long the newest of them took. */
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
