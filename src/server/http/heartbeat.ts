import { IdTable } from "../../base/id-table.ts";
import { httpFirstByteMsMax, httpKeepAliveMs } from "../../base/limits.ts";

/** Something that wants to be called while it waits. */
export interface Beating {
  /** True while the client has not even the head of its response. */
  readonly isSilent: boolean;
  beat(): void;
}

interface Waiting {
  readonly lane: Beating;
  /** When it was last heard of, on the clock of `performance.now()`. */
  since: number;
}

/**
 * One timer for all responses that wait: the head goes out soon, so that clients and proxies do not give up,
 * then a sign of life every 15 s. Costs a call nothing but its place in a table.
 */
export class Heartbeat {
  readonly #waiting = new IdTable<Waiting>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Its number, for `delete`. */
  add(lane: Beating): number {
    this.#timer ??= setInterval(() => this.#beat(), httpFirstByteMsMax / 2).unref();
    return this.#waiting.add({ lane, since: performance.now() });
  }

  delete(number: number): void {
    this.#waiting.delete(number);
  }

  #beat(): void {
    const now = performance.now();
    for (const [number, waiting] of this.#waiting.entries()) {
      const { lane, since } = waiting;
      const dueMs = lane.isSilent ? httpFirstByteMsMax / 2 : httpKeepAliveMs;
      // One beat may be the end of another lane.
      if (now - since < dueMs || this.#waiting.get(number) === undefined) continue;
      waiting.since = now;
      lane.beat();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
