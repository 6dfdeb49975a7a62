import { lookStepMsMax } from "../../base/limits.ts";

/** One job's computing without a break, or the doing of nothing. */
export interface Stretch {
  /** The job that computes, 0 for none. */
  readonly jobId: number;
  /** For how long it has been seen. */
  readonly ms: number;
}

/**
 * Reads a Worker's cell at intervals. Only a state seen at two reads in a row is taken as lasting. Of the time between them at most
 * one step is added: when the main thread or the machine was halted, the Worker may have been halted too.
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

/**
 * Which job computes in a Worker, in memory that both threads see: a Worker that hangs or exits can no
 * longer report it. A job is taken to compute from its start, or the reply that it waited for, to its next
 * service call or its end; so a handler that waits for something else holds its Worker.
 */
export class ComputingCell {
  /** The job's id, 0 for none; then a number that changes with every begin. */
  readonly #memory: Int32Array;

  constructor(readonly shared: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.#memory = new Int32Array(shared);
  }

  /** Worker's side. */
  begin(jobId: number): void {
    // One writer, and 32-bit stores are never torn: plain ones do, at a fraction of the price.
    this.#memory[1] = (this.#memory[1] ?? 0) + 1;
    this.#memory[0] = jobId;
  }

  /** Worker's side. Does nothing when another job has begun since. */
  end(jobId: number): void {
    if (this.#memory[0] === jobId) this.#memory[0] = 0;
  }

  /** Main thread's side: the job that computes, 0 for none. */
  get jobId(): number {
    return Atomics.load(this.#memory, 0);
  }

  /** Main thread's side: tells two stretches of the same job apart. */
  get turn(): number {
    return Atomics.load(this.#memory, 1);
  }
}
