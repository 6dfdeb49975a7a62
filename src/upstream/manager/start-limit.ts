import { upstreamStartsMax, upstreamStartsWindowMs } from "../../base/upstream-limits.ts";

/** Never more than five starts of a server in ten seconds, whoever asks for them. */
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
