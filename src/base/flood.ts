export interface FloodParts {
  /** Events that are reported one by one in a window; more are counted. */
  readonly max: number;
  /** The window, in ms. */
  readonly windowMs: number;
  /** Called at the end of a window with the number of events that were only counted. */
  readonly onMore: (count: number) => void;
}

/**
 * Bounds reports of events that anybody can cause: some in each window one by one, the others as a number at its end. A flood that
 * goes on is one number for each window, until there is a window without.
 */
export class Flood implements Disposable {
  readonly #parts: FloodParts;
  #taken = 0;
  #counted = 0;
  /** Ends the current window; undefined when none is being counted. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFlood = false;

  constructor(parts: FloodParts) {
    this.#parts = parts;
  }

  /** True: report this event. False: it was counted. */
  take(): boolean {
    this.#timer ??= this.#startWindow();
    if (this.#isFlood || this.#taken >= this.#parts.max) {
      this.#counted += 1;
      return false;
    }
    this.#taken += 1;
    return true;
  }

  /** Reports the number of those that were only counted. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#tellCount();
  }

  #startWindow(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#end(), this.#parts.windowMs).unref();
  }

  #end(): void {
    this.#timer = undefined;
    this.#isFlood = this.#counted > 0;
    this.#taken = 0;
    this.#tellCount();
    if (this.#isFlood) this.#timer = this.#startWindow();
  }

  #tellCount(): void {
    if (this.#counted > 0) this.#parts.onMore(this.#counted);
    this.#counted = 0;
  }
}
