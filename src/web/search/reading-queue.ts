import { AppError } from "../../base/errors.ts";
import { createDeferred } from "../../base/shared-work.ts";

/** Texts up to this length are read as long as there is any time; captured pages reach half of it. */
const ordinaryCharsMax = 1_000_000;
/**
 * Characters of longer answers that are read per millisecond at least: pages made to be slow take that long (measured).
 */
const charsPerMsMin = 1_000;

interface Waiting {
  readonly chars: number;
  readonly start: () => Promise<void>;
}

/**
 * Reads answers one at a time, the shortest first, and lets timers run in between. A page cannot be put aside while it
 * is parsed: many huge ones that come together would otherwise keep a search from its deadline, and engines that
 * answered as they should from being read.
 */
export class ReadingQueue {
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  /**
   * The result of `read`, when it is its turn.
   * @param untilAt when it must be done, on the clock of `performance.now()`
   * @throws AppError `limit` when too little time is left; the errors of `read`
   */
  run<T>(chars: number, untilAt: number, read: () => Promise<T>): Promise<T> {
    const outcome = createDeferred<T>();
    const start = (): Promise<void> => {
      const leftMs = untilAt - performance.now();
      const neededMs = Math.max(0, chars - ordinaryCharsMax) / charsPerMsMin;
      if (leftMs > 0 && leftMs >= neededMs) return read().then(outcome.resolve, outcome.reject);
      outcome.reject(new AppError("limit", `No time is left to read ${chars} characters.`));
      return Promise.resolve();
    };
    this.#waiting.push({ chars, start });
    if (!this.#isBusy) void this.#work();
    return outcome.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      // Timers, and answers that are already there, have their turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const shortest = this.#waiting.reduce((a, b) => (b.chars < a.chars ? b : a));
      this.#waiting.splice(this.#waiting.indexOf(shortest), 1);
      await shortest.start();
    }
    this.#isBusy = false;
  }
}
