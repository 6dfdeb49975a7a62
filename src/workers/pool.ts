import { workerIdleMs, workerJobMsMax, workerQueueMax, workersMax } from "../base/limits.ts";
import { recordedMethods } from "../tools/services.ts";
import type { Job, JobMessageSource, JobOutcome } from "./job.ts";
import type { FromWorker, ServiceCall, ServiceReply } from "./messages.ts";
import { WorkerSlot } from "./worker-slot.ts";

/** Answers the service calls of one job. Must not reject. */
export type JobServiceHost = (call: ServiceCall) => Promise<ServiceReply>;

export interface PoolParts {
  readonly createWorker: () => Worker;
  /** Told what happened to a Worker that was lost. */
  readonly onWorkerLost?: (reason: string) => void;
  readonly sizeMax?: number;
}

export interface JobSpec {
  readonly source: JobMessageSource;
  readonly jobMsMax: number | null;
  readonly signal: AbortSignal;
  readonly services: JobServiceHost;
}

/** A queue that lasts longer than a Worker takes to start is worth another Worker. */
const growAfterMs = 3;
/** A reply waits this long for its Worker, which computes something else, before the job moves. */
const moveAfterMs = 20;
/** A cancelled job that still computes after this takes its Worker with it. */
const cancelGraceMs = 250;
/** Workers that die without ever being ready; then waiting jobs are given up. */
const failedStartsMax = 3;

/**
 * Workers and the jobs in them. A Worker computes one job at a time; a job that waits for a service
 * does not hold its Worker. When a Worker is lost, the job that computed in it fails with the reason;
 * those that were waiting start over elsewhere, with the replies that they already had (deterministic
 * replay), so that no other call notices.
 */
export class WorkerPool {
  readonly #parts: PoolParts;
  readonly #slots = new Set<WorkerSlot>();
  readonly #jobs = new Map<number, Job>();
  readonly #hosts = new Map<Job, JobServiceHost>();
  readonly #queue: Job[] = [];
  #lastJobId = 0;
  #failedStarts = 0;
  #growTimer: ReturnType<typeof setTimeout> | undefined;
  #shrinkTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Workers alive now. */
  get size(): number {
    return this.#slots.size;
  }

  /** Starts the first Worker, so that the first call finds it ready. */
  warm(): void {
    if (this.#slots.size === 0 && !this.#isClosed) this.#addSlot();
  }

  /** Runs a job. Never rejects. */
  run({ source, jobMsMax, signal, services }: JobSpec): Promise<JobOutcome> {
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    if (this.#isClosed || signal.aborted) return Promise.resolve({ kind: "cancelled" });
    if (this.#queue.length >= workerQueueMax) {
      const reason = `${workerQueueMax} calls are waiting already; send fewer at a time`;
      return Promise.resolve({ kind: "lost", reason });
    }
    const cancel = (): void => this.#cancel(job);
    const job: Job = {
      id: ++this.#lastJobId,
      source,
      jobMsMax: jobMsMax ?? workerJobMsMax,
      settle: (outcome) => {
        signal.removeEventListener("abort", cancel);
        resolve(outcome);
      },
      record: [],
      slot: undefined,
    };
    signal.addEventListener("abort", cancel, { once: true });
    this.#jobs.set(job.id, job);
    this.#hosts.set(job, services);
    this.#queue.push(job);
    this.#dispatch();
    return promise;
  }

  /** Ends all Workers; unfinished jobs are cancelled. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#growTimer);
    clearTimeout(this.#shrinkTimer);
    for (const job of this.#jobs.values()) this.#settle(job, { kind: "cancelled" });
    for (const slot of this.#slots) slot.retire();
    this.#slots.clear();
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (!slot.isFree) continue;
      this.#feed(slot);
      if (this.#queue.length === 0) return;
    }
    if (this.#queue.length === 0 || this.#isClosed) return;
    if (this.#slots.size === 0) this.#addSlot();
    else this.#growTimer ??= setTimeout(() => this.#grow(), growAfterMs);
  }

  /** Gives a free Worker something to do: first a reply that waits for it, then a new job. */
  #feed(slot: WorkerSlot): void {
    while (slot.isFree) {
      const waiting = slot.replies.shift();
      if (waiting !== undefined) {
        if (waiting.job.slot === slot) slot.resume(waiting.job, waiting.reply);
        continue;
      }
      const job = this.#queue.shift();
      if (job === undefined) return this.#scheduleShrink();
      slot.start(job);
    }
  }

  #grow(): void {
    this.#growTimer = undefined;
    if (this.#queue.length === 0 || this.#isClosed) return;
    if (this.#slots.size < (this.#parts.sizeMax ?? workersMax)) this.#addSlot();
  }

  #addSlot(): void {
    const slot = new WorkerSlot(this.#parts.createWorker(), {
      onMessage: (from, message) => this.#onMessage(from, message),
      onGone: (gone, reason) => this.#onGone(gone, reason),
    });
    this.#slots.add(slot);
    this.#feed(slot);
    if (this.#queue.length > 0) this.#growTimer ??= setTimeout(() => this.#grow(), growAfterMs);
  }

  #onMessage(slot: WorkerSlot, message: FromWorker): void {
    if (message.kind === "ready") {
      this.#failedStarts = 0;
      return;
    }
    const job = this.#jobs.get(message.jobId);
    if (slot.current?.id === message.jobId) slot.release();
    if (job === undefined || job.slot !== slot) return this.#dispatch();
    if (message.kind === "call") void this.#serve(job, message);
    else this.#settle(job, message);
    this.#feed(slot);
  }

  async #serve(job: Job, call: ServiceCall): Promise<void> {
    const reply = await this.#hosts.get(job)?.(call);
    if (reply === undefined || !this.#jobs.has(job.id)) return;
    if (recordedMethods.has(call.method)) job.record.push(reply);
    const { slot } = job;
    if (slot === undefined) return this.#startOver(job);
    if (slot.isFree) return slot.resume(job, reply);
    slot.replies.push({ job, reply });
    setTimeout(() => this.#moveIfStuck(job, slot), moveAfterMs).unref();
  }

  /** Its Worker has been computing something else for long: the job does not wait for that. */
  #moveIfStuck(job: Job, slot: WorkerSlot): void {
    const place = slot.replies.findIndex((waiting) => waiting.job === job);
    if (place === -1 || job.slot !== slot) return;
    slot.replies.splice(place, 1);
    slot.drop(job);
    this.#startOver(job);
  }

  #startOver(job: Job): void {
    job.slot = undefined;
    this.#queue.unshift(job);
    this.#dispatch();
  }

  #onGone(slot: WorkerSlot, reason: string): void {
    this.#slots.delete(slot);
    const { current } = slot;
    this.#parts.onWorkerLost?.(reason);
    if (!slot.isReady) this.#failedStarts++;
    for (const job of slot.jobs) {
      job.slot = undefined;
      if (job !== current) continue;
      // A Worker that never ran is no fault of the job, which gets another one.
      if (slot.isReady) this.#settle(job, { kind: "lost", reason });
      else this.#queue.unshift(job);
    }
    for (const { job } of slot.replies) if (this.#jobs.has(job.id)) this.#startOver(job);
    if (this.#failedStarts >= failedStartsMax) this.#giveUp(reason);
    else if (this.#slots.size === 0) this.#addSlot();
    this.#dispatch();
  }

  #giveUp(reason: string): void {
    this.#failedStarts = 0;
    const waiting = this.#queue.splice(0);
    for (const job of waiting) this.#settle(job, { kind: "lost", reason });
  }

  #cancel(job: Job): void {
    const { slot } = job;
    const place = this.#queue.indexOf(job);
    if (place !== -1) this.#queue.splice(place, 1);
    this.#settle(job, { kind: "cancelled" });
    if (slot === undefined) return;
    if (slot.current !== job) return slot.drop(job);
    setTimeout(() => {
      if (slot.current === job) slot.end("its call was cancelled");
    }, cancelGraceMs).unref();
  }

  #settle(job: Job, outcome: JobOutcome): void {
    if (!this.#jobs.delete(job.id)) return;
    this.#hosts.delete(job);
    job.slot?.jobs.delete(job);
    job.settle(outcome);
  }

  /** Ends Workers that have had nothing to do for a while, all but one. */
  #scheduleShrink(): void {
    if (this.#slots.size <= 1) return;
    this.#shrinkTimer ??= setTimeout(() => {
      this.#shrinkTimer = undefined;
      for (const slot of this.#slots) {
        if (this.#slots.size <= 1 || slot.idleMs < workerIdleMs) continue;
        this.#slots.delete(slot);
        slot.retire();
      }
      this.#scheduleShrink();
    }, workerIdleMs).unref();
  }
}
