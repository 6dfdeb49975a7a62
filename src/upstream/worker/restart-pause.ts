import {
  upstreamRestartMs,
  upstreamRestartMsMax,
  upstreamStableMs,
} from "../../base/upstream-limits.ts";

/** How long a Worker that was lost stays away: not at all at first, then longer with each loss that follows soon. */
export class RestartPause {
  #losses = 0;
  #startedAt = 0;
  readonly #firstMs: number;

  constructor(firstMs = upstreamRestartMs) {
    this.#firstMs = firstMs;
  }

  onStart(): void {
    this.#startedAt = performance.now();
  }

  /** Milliseconds until the next one may start. */
  onLoss(): number {
    if (performance.now() - this.#startedAt >= upstreamStableMs) this.#losses = 0;
    this.#losses += 1;
    if (this.#losses === 1) return 0;
    return Math.min(this.#firstMs * 2 ** (this.#losses - 2), upstreamRestartMsMax);
  }
}
