import { progressPerSecondMax } from "../../base/limits.ts";

const everyMs = 1_000 / progressPerSecondMax;

export type Progress = readonly [
  progress: number,
  total: number | undefined,
  message: string | undefined,
];

/** Passes on the progress of one call, ten times a second at most: the newest, late rather than never. */
export class PacedProgress {
  readonly #pass: (...progress: Progress) => void;
  #passedAt = Number.NEGATIVE_INFINITY;
  #newest: Progress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(pass: (...progress: Progress) => void) {
    this.#pass = pass;
  }

  readonly report = (...progress: Progress): void => {
    if (this.#isEnded) return;
    this.#newest = progress;
    const waitMs = this.#passedAt + everyMs - performance.now();
    if (waitMs <= 0) this.#passNow();
    else this.#timer ??= setTimeout(() => this.#passNow(), waitMs);
  };

  /** The call has its answer. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #passNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const newest = this.#newest;
    if (newest === undefined) return;
    this.#newest = undefined;
    this.#passedAt = performance.now();
    this.#pass(...newest);
  }
}
