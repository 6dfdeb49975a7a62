import { IdTable } from "../../base/cancellation.ts";
import { lookStepMsMax, workerJobMsMax, workerStartMsMax } from "../../base/limits.ts";
import { onWorkerEnd } from "../../base/worker-channel/channel-port.ts";
import {
  ComputingCell,
  decodeFromToolWorker,
  encodeJob,
  encodeToToolWorker,
  type Ending,
  type FromToolWorker,
  type JobMessageSource,
  type JobOutcome,
  type JobServiceHost,
  joinMessages,
  type ServiceReply,
} from "./messages.ts";

/** One job on the main thread's side. */
export interface Job {
  /** A new one for each start, so that late messages of an earlier Worker are recognised as stale. */
  id: number;
  hasStarted: boolean;
  readonly source: JobMessageSource;
  /** Time in its Worker, service calls not counted. */
  readonly msMax: number;
  readonly services: JobServiceHost;
  /** Tells the caller; called once. */
  readonly settle: (outcome: JobOutcome) => void;
  /** Replies that must not be asked for again, should the job start over. */
  readonly record: ServiceReply[];
  /** How often it started over after a Worker was lost without a culprit. */
  restarts: number;
  /** The Worker that has it; undefined while it waits for one. */
  slot: WorkerSlot | undefined;
  /** Its number among the jobs of that Worker. */
  place: number;
  /** True while it waits there for a service. */
  isParked: boolean;
}

export interface SlotEvents {
  /** The Worker said something. */
  onMessage(slot: WorkerSlot, message: FromToolWorker): void;
  /** It is gone: it threw, exited or hung. Called once, and not after `retire`. */
  onGone(slot: WorkerSlot, ending: Ending): void;
}

/** More jobs than a Worker is ever given at once. */
const movedMax = 100;

/**
 * One Worker and its jobs. Several may be handed to it at once, so that it need not be woken for each;
 * it computes them in that order. Those that wait for a service cost it nothing.
 */
export class WorkerSlot {
  readonly #worker: Worker;
  readonly #events: SlotEvents;
  readonly #cell = new ComputingCell();
  readonly #watch = new StretchWatch(this.#cell);
  readonly #jobs = new IdTable<Job>();
  /** How many of them compute, or will; the others are parked. */
  #load = 0;
  readonly #startedAt = performance.now();
  /** The time that jobs may take which were taken away before they began, by id: word of it may come too late. */
  readonly #moved = new Map<number, number>();
  #outgoing: string[] = [];
  /** Jobs and replies among the outgoing. */
  #unsentWork = 0;
  #isFlushing = false;
  #isReady = false;
  #isGone = false;
  /** True when a job was started since the last look for idle Workers. */
  #wasUsed = false;
  #idleLooks = 0;

  constructor(worker: Worker, events: SlotEvents) {
    this.#worker = worker;
    this.#events = events;
    worker.onmessage = (event: MessageEvent<string>) => this.#receive(event.data);
    onWorkerEnd(worker, (reason) => this.#die(reason));
    worker.postMessage(this.#cell.shared);
  }

  /** False until the Worker has loaded its tools. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Milliseconds since it was made. */
  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Jobs that compute here, or will. */
  get load(): number {
    return this.#load;
  }

  /** The jobs that compute here, or will, oldest first. */
  get active(): Job[] {
    return this.#all().filter((job) => !job.isParked);
  }

  /** The id of the job that computes now, 0 for none. */
  get computingId(): number {
    return this.#cell.jobId;
  }

  /** True while one job has been computing for two looks. */
  get isSlow(): boolean {
    return this.#isReady && this.#watch.isSlow;
  }

  /** Reads which job computes now. */
  look(): Stretch {
    return this.#watch.look();
  }

  /** How many looks in a row, this one included, found no job here and none since the look before. */
  idleLooks(): number {
    const isIdle = !this.#wasUsed && this.#jobs.size === 0;
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    this.#wasUsed = false;
    return this.#idleLooks;
  }

  start(job: Job): void {
    job.slot = this;
    job.place = this.#jobs.add(job);
    this.#activate(job);
    this.#post(encodeJob(job.id, job.source(), job.record));
  }

  resume(job: Job, reply: ServiceReply): void {
    this.#activate(job);
    this.#post(encodeToToolWorker({ kind: "reply", jobId: job.id, reply }));
  }

  /** The job waits for a service. */
  park(job: Job): void {
    job.isParked = true;
    this.#load -= 1;
  }

  /** The job is over. */
  finish(job: Job): void {
    if (this.#jobs.get(job.place) !== job) return;
    this.#jobs.delete(job.place);
    if (!job.isParked) this.#load -= 1;
  }

  /** Takes a job away that is to go on elsewhere, or whose caller is gone. */
  drop(job: Job): void {
    this.finish(job);
    job.slot = undefined;
    if (!this.#isGone) this.#post(encodeToToolWorker({ kind: "drop", jobId: job.id }));
  }

  /** Takes away all jobs but the one that computes, to go on elsewhere. */
  dropWaiting(): Job[] {
    const waiting = this.active.filter((job) => job.id !== this.computingId);
    for (const job of waiting) {
      this.#remember(job);
      this.drop(job);
    }
    return waiting;
  }

  /** The time that job `jobId` may take here although it was taken away; undefined for all others. */
  movedMsMax(jobId: number): number | undefined {
    return this.#moved.get(jobId);
  }

  /** Ends the Worker, whatever it is doing by now, and tells why. */
  end(ending: Ending): void {
    if (this.#isGone) return;
    this.retire();
    this.#events.onGone(this, ending);
  }

  /** Ends a Worker that is not needed any more, without a word. */
  retire(): void {
    this.#isGone = true;
    this.#worker.terminate();
  }

  /** Takes all jobs off a Worker that is gone. @returns those that computed there, or would have; oldest first */
  abandon(): Job[] {
    const jobs = this.#all();
    for (const job of jobs) {
      this.finish(job);
      job.slot = undefined;
    }
    return jobs.filter((job) => !job.isParked);
  }

  #all(): Job[] {
    return this.#jobs.values().sort((one, other) => one.id - other.id);
  }

  #remember({ id, msMax }: Job): void {
    const [oldest] = this.#moved.keys();
    if (oldest !== undefined && this.#moved.size >= movedMax) this.#moved.delete(oldest);
    this.#moved.set(id, msMax);
  }

  #activate(job: Job): void {
    this.#wasUsed = true;
    this.#unsentWork += 1;
    this.#load += 1;
    job.isParked = false;
  }

  #receive(text: string): void {
    if (this.#isGone) return;
    for (const message of decodeFromToolWorker(text)) {
      if (message.kind === "ready") this.#isReady = true;
      if (message.kind === "broken") {
        const reason = `it threw: ${message.reason.slice(0, 500)}`;
        return this.end({ reason, culpritId: message.jobId });
      }
      this.#events.onMessage(this, message);
    }
    this.#flushSoon();
  }

  /** It is dead: the cell still names the job that it died of. */
  #die(reason: string): void {
    this.end({ reason, culpritId: this.#cell.jobId });
  }

  #post(text: string): void {
    this.#outgoing.push(text);
    this.#flushSoon();
  }

  /**
   * Messages of one turn go out together at its end. Those for a Worker that has work wait until it has answered
   * all of it: waking a thread costs more than a cheap call, and it could not begin anything before anyway.
   */
  #flushSoon(): void {
    const isAtWork = this.#load > this.#unsentWork;
    if (this.#isFlushing || isAtWork || this.#outgoing.length === 0) return;
    this.#isFlushing = true;
    queueMicrotask(this.#flush);
  }

  readonly #flush = (): void => {
    const messages = this.#outgoing;
    this.#outgoing = [];
    this.#unsentWork = 0;
    this.#isFlushing = false;
    if (!this.#isGone) this.#worker.postMessage(joinMessages(messages));
  };
}

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

/** A cancelled job that still computes after this takes its Worker with it. */
export const cancelGraceMs = 250;

/** Said of a Worker whose job went on after its cancellation. */
export const cancelledReason = "its call was cancelled";

/** The facts about a Worker at one check. */
export interface WorkerState {
  readonly isReady: boolean;
  readonly ageMs: number;
  /** Jobs that compute in it, or will. */
  readonly load: number;
}

/**
 * The reason to end a Worker now, if there is one. Only the job that computes can be overdue: `job`, or a job that is over
 * (undefined): those in line spend no time of their own, however long they wait.
 */
export function findOverdue(
  worker: WorkerState,
  { jobId, ms }: Stretch,
  job: Pick<Job, "msMax"> | undefined,
): Ending | undefined {
  if (!worker.isReady) {
    return worker.ageMs > workerStartMsMax
      ? { reason: "it did not start", culpritId: 0 }
      : undefined;
  }
  if (jobId === 0) {
    // Code that a handler left behind computes outside the turn of any job.
    const isStuck = worker.load > 0 && ms > workerJobMsMax;
    return isStuck
      ? { reason: `it started no job within ${workerJobMsMax} ms`, culpritId: 0 }
      : undefined;
  }
  // A cancelled job may begin only after its cancellation.
  if (job === undefined) {
    return ms > cancelGraceMs ? { reason: cancelledReason, culpritId: jobId } : undefined;
  }
  if (ms <= job.msMax) return undefined;
  return { reason: `it did not finish within ${job.msMax} ms`, culpritId: jobId };
}
