import { httpFirstByteMsMax, httpKeepAliveMs } from "../../base/limits.ts";

/** Something that wants to be called while it waits. */
export interface Beating {
  /** True while the client has not even the head of its response. */
  readonly isSilent: boolean;
  beat(): void;
}

/**
 * One timer for all responses that wait: the head goes out soon, so that clients and proxies do not give up,
 * then a sign of life every 15 s. Costs a call nothing but its place in a set.
 */
export class Heartbeat {
  readonly #waiting = new Map<Beating, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  add(lane: Beating): void {
    this.#waiting.set(lane, performance.now());
    this.#timer ??= setInterval(() => this.#beat(), httpFirstByteMsMax / 2).unref();
  }

  delete(lane: Beating): void {
    this.#waiting.delete(lane);
  }

  #beat(): void {
    const now = performance.now();
    for (const [lane, since] of this.#waiting) {
      const dueMs = lane.isSilent ? httpFirstByteMsMax / 2 : httpKeepAliveMs;
      if (now - since < dueMs) continue;
      this.#waiting.set(lane, now);
      lane.beat();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
