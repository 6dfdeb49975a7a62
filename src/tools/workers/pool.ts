import { type Cancellation, IdTable } from "../../base/cancellation.ts";
import {
  lastWorkerIdleLooksMax,
  workerIdleLookMs,
  workerIdleLooksMax,
  workerJobMsMax,
  workerQueueMax,
  workersMax,
} from "../../base/limits.ts";
import { serviceEffects } from "../services.ts";
import {
  type Ending,
  type FromToolWorker,
  type JobMessageSource,
  type JobOutcome,
  type JobServiceHost,
  type ServiceCall,
} from "./messages.ts";
import {
  cancelGraceMs,
  cancelledReason,
  findOverdue,
  type Job,
  WorkerSlot,
} from "./worker-slot.ts";

export interface PoolParts {
  readonly createWorker: () => Worker;
  /** Receives the reason for the loss of a Worker. */
  readonly onWorkerLost?: (reason: string) => void;
  /** The last Worker has ended, because it had nothing to do. */
  readonly onEmpty?: () => void;
  readonly sizeMax?: number;
  /** How often idle Workers are looked at. */
  readonly idleLookMs?: number;
}

export interface JobSpec {
  readonly source: JobMessageSource;
  /** Time in the Worker, service calls not counted; null = the usual. */
  readonly jobMsMax: number | null;
  readonly cancellation: Cancellation;
  readonly services: JobServiceHost;
}

/** Jobs handed to one Worker at a time: enough that it is not woken for each. */
const loadMax = 64;
/** How soon the Workers are looked at after a job was handed out. */
const firstLookMs = 2;
/** How often after that, while any is busy. A job seen twice is slow: the jobs behind it are moved. */
const lookMs = 4;
/** Workers that die without ever being ready; then waiting jobs are given up. */
const failedStartsMax = 3;

/**
 * Workers and the jobs in them. A job that waits for a service does not hold its Worker. When a Worker
 * is lost, the job that computed in it fails with the reason; all others start over elsewhere with the
 * replies that they already had (deterministic replay), so that no other call notices.
 */
export class WorkerPool {
  readonly #parts: PoolParts;
  readonly #slots = new Set<WorkerSlot>();
  readonly #jobs = new IdTable<Job>();
  #queue: Job[] = [];
  #failedStarts = 0;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #shrink: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Workers alive now. */
  get size(): number {
    return this.#slots.size;
  }

  /** Jobs that wait for a Worker. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Starts a Worker if there is none, so that the next call finds it ready. */
  warm(): void {
    if (this.#slots.size === 0 && !this.#isClosed) this.#addSlot();
  }

  /** Runs a job and tells `settle` once how it ended: a callback, for a promise more costs half a µs. */
  run(spec: JobSpec, settle: (outcome: JobOutcome) => void): void {
    const { source, jobMsMax, cancellation, services } = spec;
    if (this.#isClosed || cancellation.isCancelled) return settle({ kind: "cancelled" });
    if (this.#queue.length >= workerQueueMax) {
      const reason = `${workerQueueMax} calls are already waiting; send fewer at a time`;
      return settle({ kind: "lost", reason });
    }
    const msMax = jobMsMax ?? workerJobMsMax;
    const job: Job = {
      id: 0,
      hasStarted: false,
      source,
      msMax,
      services,
      settle,
      record: [],
      slot: undefined,
      restarts: 0,
      place: 0,
      isParked: false,
    };
    job.id = this.#jobs.add(job);
    cancellation.onCancel(() => this.#cancel(job));
    this.#assign(job);
  }

  /** Ends all Workers; unfinished jobs are cancelled. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#watch);
    clearTimeout(this.#shrink);
    for (const job of this.#jobs.values()) this.#settle(job, { kind: "cancelled" });
    for (const slot of this.#slots) slot.retire();
    this.#slots.clear();
  }

  /** Hands a job to the Worker with the least to do, or lets it wait. */
  #assign(job: Job): void {
    const slot = this.#leastLoaded();
    if (slot !== undefined) this.#start(job, slot);
    else this.#queue.push(job);
    if (this.#slots.size === 0) this.#addSlot();
    this.#watchOver();
  }

  #start(job: Job, slot: WorkerSlot): void {
    if (job.hasStarted) {
      this.#jobs.delete(job.id);
      job.id = this.#jobs.add(job);
    }
    job.hasStarted = true;
    slot.start(job);
  }

  #leastLoaded(): WorkerSlot | undefined {
    let best: WorkerSlot | undefined;
    for (const slot of this.#slots) {
      if (slot.load === 0) return slot;
      if (slot.load >= loadMax || slot.isSlow) continue;
      if (best === undefined || slot.load < best.load) best = slot;
    }
    return best;
  }

  #dispatchQueue(): void {
    while (this.#queue.length > 0) {
      const slot = this.#leastLoaded();
      if (slot === undefined) return;
      const job = this.#queue.shift();
      if (job !== undefined) this.#start(job, slot);
    }
  }

  #addSlot(): void {
    const slot = new WorkerSlot(this.#parts.createWorker(), {
      onMessage: (from, message) => this.#onMessage(from, message),
      onGone: (gone, ending) => this.#onGone(gone, ending),
    });
    this.#slots.add(slot);
    this.#dispatchQueue();
    this.#watchOver();
  }

  #onMessage(slot: WorkerSlot, message: FromToolWorker): void {
    if (message.kind === "ready") this.#failedStarts = 0;
    if (message.kind === "ready" || message.kind === "broken") return;
    const job = this.#jobs.get(message.jobId);
    if (job === undefined || job.slot !== slot) return;
    if (message.kind === "call") {
      slot.park(job);
      void this.#serve(job, message);
    } else {
      this.#settle(job, message);
    }
    if (this.#queue.length > 0) this.#dispatchQueue();
  }

  async #serve(job: Job, call: ServiceCall): Promise<void> {
    const effect = serviceEffects[call.method];
    const reply = await job.services(call, effect === "acts");
    if (this.#jobs.get(job.id) !== job) return;
    if ("ended" in reply) return this.#end(job, reply.ended);
    if (effect !== "reads") job.record.push(reply);
    const { slot } = job;
    if (slot !== undefined && !slot.isSlow) {
      slot.resume(job, reply);
      return this.#watchOver();
    }
    // Its Worker is gone or computes something else: the job does not wait for that.
    slot?.drop(job);
    this.#assign(job);
  }

  /** Looks after the Workers while any of them has something to do. */
  #watchOver(): void {
    this.#watch ??= setTimeout(() => this.#onWatch(), firstLookMs).unref();
  }

  #onWatch(): void {
    this.#watch = undefined;
    const displaced: Job[] = [];
    for (const slot of this.#slots) {
      if (slot.load === 0 && slot.computingId === 0 && slot.isReady) continue;
      this.#endOverdue(slot);
      if (slot.isSlow) displaced.push(...slot.dropWaiting());
    }
    this.#queue = [...displaced, ...this.#queue];
    this.#dispatchQueue();
    if (this.#queue.length > 0 && this.#slots.size < (this.#parts.sizeMax ?? workersMax)) {
      this.#addSlot();
    }
    const isBusy = [...this.#slots].some((slot) => slot.load > 0 || !slot.isReady);
    if (isBusy) this.#watch ??= setTimeout(() => this.#onWatch(), lookMs).unref();
    else this.#scheduleShrink();
  }

  /** Ends a Worker that does not start, or whose job has had its time. */
  #endOverdue(slot: WorkerSlot): void {
    const stretch = slot.look();
    const movedMsMax = slot.movedMsMax(stretch.jobId);
    const moved = movedMsMax === undefined ? undefined : { msMax: movedMsMax };
    const ending = findOverdue(slot, stretch, this.#jobs.get(stretch.jobId) ?? moved);
    if (ending !== undefined) slot.end(ending);
  }

  #onGone(slot: WorkerSlot, ending: Ending): void {
    const { reason } = ending;
    this.#slots.delete(slot);
    this.#parts.onWorkerLost?.(reason);
    const active = slot.abandon();
    if (slot.isReady) this.#queue.unshift(...this.#withoutCulprit(active, ending));
    else {
      // Its jobs are not to blame for a Worker that never ran; they get another one.
      this.#failedStarts++;
      this.#queue.unshift(...active);
    }
    if (this.#failedStarts >= failedStartsMax) this.#giveUp(reason);
    else if (this.#slots.size === 0) this.#addSlot();
    this.#dispatchQueue();
    this.#watchOver();
  }

  /**
   * Fails the job that broke the Worker and returns the others. When that job is unknown (code that
   * a handler had left behind threw), a single job is failed; several get one more try each.
   */
  #withoutCulprit(active: readonly Job[], { reason, culpritId }: Ending): Job[] {
    const isCulprit = (job: Job): boolean =>
      culpritId === 0 ? active.length === 1 || ++job.restarts > 1 : job.id === culpritId;
    const culprits = active.filter(isCulprit);
    for (const job of culprits) this.#settle(job, { kind: "lost", reason });
    return active.filter((job) => !culprits.includes(job));
  }

  #giveUp(reason: string): void {
    this.#failedStarts = 0;
    for (const job of this.#queue.splice(0)) this.#settle(job, { kind: "lost", reason });
  }

  #cancel(job: Job): void {
    const { id, slot } = job;
    if (this.#jobs.get(id) !== job) return;
    this.#queue = this.#queue.filter((waiting) => waiting !== job);
    slot?.drop(job);
    this.#settle(job, { kind: "cancelled" });
    setTimeout(() => {
      if (slot?.computingId === id) slot.end({ reason: cancelledReason, culpritId: id });
    }, cancelGraceMs).unref();
  }

  /** For a job that waits for a service. */
  #end(job: Job, outcome: JobOutcome): void {
    job.slot?.drop(job);
    this.#settle(job, outcome);
  }

  #settle(job: Job, outcome: JobOutcome): void {
    if (!this.#jobs.delete(job.id)) return;
    job.slot?.finish(job);
    job.settle(outcome);
  }

  /** Looks after idle Workers as long as there are any. */
  #scheduleShrink(): void {
    if (this.#slots.size === 0) return;
    const { idleLookMs = workerIdleLookMs } = this.#parts;
    this.#shrink ??= setTimeout(() => this.#endIdle(), idleLookMs).unref();
  }

  /** Ends Workers that have had nothing to do for a while, the last one later than the others. */
  #endIdle(): void {
    this.#shrink = undefined;
    for (const slot of this.#slots) {
      const looksMax = this.#slots.size > 1 ? workerIdleLooksMax : lastWorkerIdleLooksMax;
      if (slot.idleLooks() < looksMax) continue;
      this.#slots.delete(slot);
      slot.retire();
    }
    if (this.#slots.size === 0) this.#parts.onEmpty?.();
    this.#scheduleShrink();
  }
}
