import { lookStepMsMax } from "../../base/limits.ts";
import type { ComputingCell } from "./computing-cell.ts";

/** One job's computing without a break, or the doing of nothing. */
export interface Stretch {
  /** The job that computes, 0 for none. */
  readonly jobId: number;
  /** For how long it has been seen. */
  readonly ms: number;
}

/**
 * Looks at a Worker's cell now and then. Only what was seen at two looks in a row lasts. Of the time between them no more
 * than a step counts: when the main thread or the machine stood still, the Worker may have done so, too.
 */
export class StretchWatch {
  readonly #cell: ComputingCell;
  #turn = -1;
  #jobId = 0;
  #ms = 0;
  #lookedAt = 0;
  #isSlow = false;

  constructor(cell: ComputingCell) {
    this.#cell = cell;
  }

  /** True while one job has been computing for two looks; a stretch that is over is not slow. */
  get isSlow(): boolean {
    if (!this.#isSlow) return false;
    const { jobId, turn } = this.#cell;
    return jobId !== 0 && turn === this.#turn;
  }

  look(now: number = performance.now()): Stretch {
    const { jobId, turn } = this.#cell;
    const isSame = jobId === this.#jobId && turn === this.#turn;
    this.#ms = isSame ? this.#ms + Math.min(now - this.#lookedAt, lookStepMsMax) : 0;
    this.#isSlow = isSame && jobId !== 0;
    this.#turn = turn;
    this.#jobId = jobId;
    this.#lookedAt = now;
    return { jobId, ms: this.#ms };
  }
}
