/**
 * Which job computes in a Worker, in memory that both threads see: a Worker that hangs or exits can no
 * longer say so. A job counts as computing from its start, or the reply that it waited for, to its next
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
