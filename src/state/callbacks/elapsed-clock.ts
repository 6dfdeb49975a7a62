import { uptime } from "node:os";

import { sleepNoticeMs, uptimeStepMs } from "../../base/limits.ts";

/** Where the time comes from; tests bring their own. */
export interface TimeSources {
  /** Never goes back; pauses while the machine sleeps (Linux, macOS). */
  readonly monotonicMs: () => number;
  /** Since the machine was started, its sleep included, in whole seconds. */
  readonly uptimeMs: () => number;
}

/**
 * Time that has passed, sleep of the machine included. The time of day is not looked at: setting the clock, forward or
 * back, changes nothing. After sleeps it may lag by up to three seconds, and is never ahead.
 */
export class ElapsedClock {
  readonly #sources: TimeSources;
  readonly #startedApartMs: number;
  #sleptMs = 0;

  constructor(sources: TimeSources = machineTime) {
    this.#sources = sources;
    this.#startedApartMs = sources.uptimeMs() - sources.monotonicMs();
  }

  /** Milliseconds since some fixed moment. */
  readonly now = (): number => {
    const { monotonicMs, uptimeMs } = this.#sources;
    const awakeMs = monotonicMs();
    const apartMs = uptimeMs() - awakeMs - this.#startedApartMs - this.#sleptMs;
    if (apartMs > sleepNoticeMs) this.#sleptMs += apartMs - uptimeStepMs;
    return awakeMs + this.#sleptMs;
  };
}

const machineTime: TimeSources = {
  monotonicMs: () => performance.now(),
  uptimeMs: () => {
    try {
      return uptime() * 1_000;
    } catch {
      // Some sandboxes hide it. Then sleep is not included, and nothing else is lost.
      return performance.now();
    }
  },
};
