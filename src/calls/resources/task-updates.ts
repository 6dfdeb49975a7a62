import { taskUpdateMs } from "../../base/limits.ts";
import { startTimer, type Timer } from "../../base/timer.ts";

/** Time as the updates see it; tests bring their own. */
export type StartTimer = (delayMs: number, fire: () => void) => Timer;

/** Tells of the output of one task: at once, then once a second at most; of its end at once. */
export class TaskUpdates {
  readonly #tell: () => void;
  readonly #startTimer: StartTimer;
  #timer: Timer | undefined;
  #isDue = false;

  constructor(tell: () => void, start: StartTimer = startTimer) {
    this.#tell = tell;
    this.#startTimer = start;
  }

  output(): void {
    if (this.#timer === undefined) this.#tellNow();
    else this.#isDue = true;
  }

  end(): void {
    this.#timer?.stop();
    this.#tell();
  }

  #tellNow(): void {
    this.#isDue = false;
    this.#timer = this.#startTimer(taskUpdateMs, () => {
      this.#timer = undefined;
      if (this.#isDue) this.#tellNow();
    });
    this.#tell();
  }
}
