import { messageOf } from "../base/errors.ts";
import { workerStartMsMax } from "../base/limits.ts";
import type { Job } from "./job.ts";
import {
  decodeFromWorker,
  encodeToWorker,
  type FromWorker,
  type ServiceReply,
  type ToWorker,
} from "./messages.ts";

export interface SlotEvents {
  /** The Worker said something. */
  onMessage(slot: WorkerSlot, message: FromWorker): void;
  /** It is gone: it threw, exited or hung. Called once, and not after `retire`. */
  onGone(slot: WorkerSlot, reason: string): void;
}

/** One Worker: the job that computes in it, and those that wait in it for a service. */
export class WorkerSlot {
  readonly #worker: Worker;
  readonly #events: SlotEvents;
  /** Jobs that were started here and have not settled, `current` included. */
  readonly jobs = new Set<Job>();
  /** Replies for jobs of this Worker that came while another one was computing. */
  readonly replies: { readonly job: Job; readonly reply: ServiceReply }[] = [];
  #current: Job | undefined;
  #isReady = false;
  #isGone = false;
  #idleSince = performance.now();
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(worker: Worker, events: SlotEvents) {
    this.#worker = worker;
    this.#events = events;
    worker.onmessage = (event: MessageEvent<string>) => this.#receive(event.data);
    worker.addEventListener("error", (event) => this.end(`it threw: ${errorText(event)}`));
    worker.addEventListener("close", (event) => {
      const { code } = event as unknown as { code: number };
      this.end(`it exited with code ${code}`);
    });
    this.#watch(workerStartMsMax, "it did not start");
  }

  /** The job that computes here now. */
  get current(): Job | undefined {
    return this.#current;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get isFree(): boolean {
    return this.#current === undefined;
  }

  /** Milliseconds without a job, on the clock of `performance.now()`. */
  get idleMs(): number {
    return this.jobs.size > 0 ? 0 : performance.now() - this.#idleSince;
  }

  start(job: Job): void {
    job.slot = this;
    this.jobs.add(job);
    this.#occupy(job);
    this.#post({ kind: "job", jobId: job.id, ...job.source(), record: job.record });
  }

  resume(job: Job, reply: ServiceReply): void {
    this.#occupy(job);
    this.#post({ kind: "reply", jobId: job.id, reply });
  }

  /** The current job waits for a service, or has settled. */
  release(): void {
    this.#current = undefined;
    this.#idleSince = performance.now();
    clearTimeout(this.#deadline);
  }

  /** Forgets a job that is waiting here. */
  drop(job: Job): void {
    this.jobs.delete(job);
    if (!this.#isGone) this.#post({ kind: "drop", jobId: job.id });
  }

  /** Ends the Worker, whatever it is doing, and tells why. */
  end(reason: string): void {
    if (this.#isGone) return;
    this.retire();
    this.#events.onGone(this, reason);
  }

  /** Ends a Worker that is not needed any more, without a word. */
  retire(): void {
    this.#isGone = true;
    clearTimeout(this.#deadline);
    this.#worker.terminate();
  }

  #occupy(job: Job): void {
    this.#current = job;
    if (this.#isReady) this.#watch(job.jobMsMax, "it did not finish within its time");
  }

  #watch(ms: number, reason: string): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.end(`${reason} (${ms} ms)`), ms);
    this.#deadline.unref();
  }

  #receive(text: string): void {
    if (this.#isGone) return;
    const message = decodeFromWorker(text);
    if (message.kind === "ready") {
      this.#isReady = true;
      clearTimeout(this.#deadline);
      if (this.#current !== undefined) this.#occupy(this.#current);
    }
    this.#events.onMessage(this, message);
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(encodeToWorker(message));
  }
}

function errorText(event: Event): string {
  const { message, error } = event as ErrorEvent;
  return (message || messageOf(error) || "an unknown error").slice(0, 500);
}
