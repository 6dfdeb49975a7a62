import { routeConsoleToStderr } from "../../base/console.ts";
import { messageOf } from "../../base/errors.ts";
import { startRestMs } from "../../base/limits.ts";
import { turnOfLoop } from "../../base/turns.ts";
import type { Catalogue } from "../catalogue.ts";
import type { AnyTool } from "../tool.ts";
import { JobContext, runJob } from "./run-job.ts";
import {
  ComputingCell,
  decodeToToolWorker,
  encodeFromToolWorker,
  type FromToolWorker,
  type JobMessage,
  joinMessages,
  type ReplyMessage,
  type ToToolWorker,
} from "./messages.ts";

declare const self: Worker;

/**
 * The whole of a Worker: takes jobs, runs their handlers, passes service calls on. Several jobs may be
 * waiting for services at the same time; the pool sees to it that only one computes.
 * @param first the tool that is called most: it is loaded ahead of its first call
 */
export function runWorker(tools: Catalogue, first?: string): void {
  routeConsoleToStderr();
  const worker = new WorkerSide(tools);
  self.onmessage = (event: MessageEvent<string | SharedArrayBuffer>): void => {
    const { data } = event;
    if (typeof data === "string") worker.receive(decodeToToolWorker(data));
    else worker.share(data);
  };
  // Code that a handler left behind has thrown: report the error, which the event of the main thread does not have.
  const report = (error: unknown): void => worker.break(messageOf(error));
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  worker.greet();
  if (first !== undefined) worker.prepare(first);
}

/** A job that took longer may have been given up as slow, and the jobs behind it moved elsewhere. */
const slowMs = 1;

class WorkerSide {
  readonly #tools: Catalogue;
  readonly #loaded = new Map<string, AnyTool>();
  readonly #waiting = new Map<number, JobContext>();
  readonly #outbox = new WorkerOutbox((text) => self.postMessage(text));
  readonly #inbox: (JobMessage | ReplyMessage)[] = [];
  #cell = new ComputingCell();
  #isDraining = false;
  /** When the job that computes began to, on the clock of `performance.now()`. */
  #begunAt = 0;
  #wasSlow = false;
  #hasWorked = false;
  #isBroken = false;

  constructor(tools: Catalogue) {
    this.#tools = tools;
  }

  greet(): void {
    this.#outbox.send(encodeFromToolWorker({ kind: "ready" }));
  }

  /** Loads a tool ahead of its first call; when that does not come at once, the memory that loading it took is given back. */
  prepare(name: string): void {
    void this.#load(name).then(() => {
      setTimeout(() => {
        if (!this.#hasWorked) Bun.shrink();
      }, startRestMs);
    });
  }

  share(memory: SharedArrayBuffer): void {
    this.#cell = new ComputingCell(memory);
  }

  /** Begins nothing any more and says why; the main thread ends the Worker. */
  break(reason: string): void {
    this.#isBroken = true;
    const jobId = this.#cell.jobId;
    this.#outbox.sendNow(encodeFromToolWorker({ kind: "broken", jobId, reason }));
  }

  /** A job that is dropped before it began never begins; all others wait for their turn. */
  receive(messages: readonly ToToolWorker[]): void {
    const [only] = messages;
    if (messages.length === 1 && only !== undefined && only.kind !== "drop" && this.#isFree) {
      return this.#take(only);
    }
    if (messages.length > 1) this.#outbox.gather();
    for (const message of messages) {
      if (message.kind === "drop") this.#drop(message.jobId);
      else this.#inbox.push(message);
    }
    this.#drainLater();
  }

  get #isFree(): boolean {
    return this.#cell.jobId === 0 && !this.#isDraining && !this.#wasSlow && !this.#isBroken;
  }

  #drop(jobId: number): void {
    this.#waiting.delete(jobId);
    const place = this.#inbox.findIndex((message) => message.jobId === jobId);
    if (place !== -1) this.#inbox.splice(place, 1);
  }

  /**
   * Takes one message after the other, and none while a job computes or waits for something of its own:
   * so the cell always names the right job. After a slow job it first checks which jobs have been
   * dropped meanwhile.
   */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#inbox.length > 0 && this.#cell.jobId === 0 && !this.#isBroken) {
      if (this.#wasSlow) await turnOfLoop();
      this.#wasSlow = false;
      const message = this.#inbox.shift();
      if (message !== undefined) this.#take(message);
    }
    this.#isDraining = false;
  }

  #drainLater(): void {
    if (this.#inbox.length === 0 || this.#isDraining) return;
    queueMicrotask(() => {
      if (!this.#isDraining) void this.#drain();
    });
  }

  #take(message: JobMessage | ReplyMessage): void {
    this.#begunAt = performance.now();
    if (message.kind === "job") this.#start(message);
    else this.#resume(message);
  }

  #resume({ jobId, reply }: ReplyMessage): void {
    const context = this.#waiting.get(jobId);
    if (context === undefined) return;
    this.#cell.begin(jobId);
    context.onReply(reply);
  }

  #start(job: JobMessage): void {
    const { jobId } = job;
    this.#hasWorked = true;
    const context = new JobContext(job, (call) => this.#send(jobId, call));
    this.#cell.begin(jobId);
    // Before it starts: a service call may come from within.
    this.#waiting.set(jobId, context);
    const tool = this.#loaded.get(job.tool);
    const outcome =
      tool === undefined
        ? this.#load(job.tool).then((loaded) => runJob(loaded, job, context))
        : runJob(tool, job, context);
    if (outcome instanceof Promise) void outcome.then((finished) => this.#finish(jobId, finished));
    else this.#finish(jobId, outcome);
  }

  async #load(name: string): Promise<AnyTool> {
    const tool = await this.#tools.get(name)?.();
    if (tool === undefined) throw new Error(`the Worker has no tool ${name}`);
    this.#loaded.set(name, tool);
    return tool;
  }

  #finish(jobId: number, outcome: FromToolWorker): void {
    // A dropped job that ran to its end all the same has been answered elsewhere.
    if (this.#waiting.delete(jobId)) this.#send(jobId, outcome);
    else this.#pause(jobId);
  }

  /** Computes no more before it says so: the main thread may look at once, and knows the job no longer. */
  #send(jobId: number, message: FromToolWorker): void {
    const text = encodeFromToolWorker(message);
    this.#pause(jobId);
    this.#outbox.send(text);
  }

  /** The job has ended or waits for a service: another one may compute. */
  #pause(jobId: number): void {
    // However many turns of the loop it took: messages sent meanwhile may not have arrived in any of them.
    if (performance.now() - this.#begunAt > slowMs) this.#wasSlow = true;
    this.#cell.end(jobId);
    this.#drainLater();
  }
}

/** Answers that are gathered wait no longer than this for each other. */
const gatherMsMax = 1;

/**
 * The messages that a Worker sends. One answer goes out at once; the answers to jobs that came together go out
 * together, which wakes the main thread once and makes one write of them.
 */
class WorkerOutbox {
  readonly #post: (text: string) => void;
  #waiting: string[] = [];
  #gatheringSince: number | undefined;

  constructor(post: (text: string) => void) {
    this.#post = post;
  }

  /** Holds messages back until the current turn and all work that follows from it is over. */
  gather(): void {
    if (this.#gatheringSince !== undefined) return;
    this.#gatheringSince = performance.now();
    setImmediate(() => {
      this.#gatheringSince = undefined;
      this.#flush();
    });
  }

  send(text: string): void {
    this.#waiting.push(text);
    const since = this.#gatheringSince;
    if (since === undefined || performance.now() - since > gatherMsMax) this.#flush();
  }

  /** For messages that cannot wait: the Worker is about to be ended. */
  sendNow(text: string): void {
    this.#waiting.push(text);
    this.#flush();
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#post(joinMessages(messages));
  }
}
