import { AppError } from "../../base/errors.ts";
import { onWorkerEnd } from "../../base/worker-end.ts";
import type { ServerProcesses } from "../process/server-processes.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamCallEvents, UpstreamEvent } from "../upstreams.ts";
import { LinkProcesses } from "./link-processes.ts";
import { LinkRequests } from "./link-requests.ts";
import {
  decodeFromUpstreamWorker,
  encodeToUpstreamWorker,
  type FromUpstreamWorker,
  type LaneEvent,
  type ToUpstreamWorker,
  type UpstreamRequest,
} from "./messages.ts";
import { type ChangedLists, SnapshotAssembly } from "./snapshot-slices.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

export interface UpstreamLinkEvents {
  /** The Worker is gone: it threw, exited or hung. Called once, and not after `close`. */
  onGone(link: UpstreamLink, reason: string): void;
  onSnapshot(snapshot: UpstreamSnapshot, changed: ChangedLists): void;
  onEvent(event: UpstreamEvent): void;
  warn(message: string): void;
}

/** How often the Worker is asked whether it lives. */
export interface HeartbeatTiming {
  readonly lookMs: number;
  /** Looks that found it silent, in a row, before it is given up. */
  readonly silentLooksMax: number;
}

export interface UpstreamLinkParts {
  readonly worker: Worker;
  readonly options: UpstreamOptions;
  readonly timing: HeartbeatTiming;
  readonly processes: () => Promise<ServerProcesses>;
  readonly events: UpstreamLinkEvents;
}

/** One Worker, as the main thread sees it: what it owes, what it has started, whether it lives. */
export class UpstreamLink {
  readonly #worker: Worker;
  readonly #events: UpstreamLinkEvents;
  readonly #timing: HeartbeatTiming;
  readonly #requests: LinkRequests;
  readonly #processes: LinkProcesses;
  readonly #assembly = new SnapshotAssembly();
  readonly #isClosed = Promise.withResolvers<void>();
  readonly #look: ReturnType<typeof setInterval>;
  /** Looks, not time: while this thread or the whole machine stands still, no look is missed. */
  #silentLooks = 0;
  #isGone = false;

  constructor({ worker, options, timing, processes, events }: UpstreamLinkParts) {
    this.#worker = worker;
    this.#events = events;
    this.#timing = timing;
    const post = (message: ToUpstreamWorker): void => this.post(message);
    this.#requests = new LinkRequests(post, (message) => events.warn(message));
    this.#processes = new LinkProcesses(processes, (report) => post({ kind: "process", report }));
    worker.onmessage = ({ data }: MessageEvent<string>) => this.#receive(data);
    onWorkerEnd(worker, (reason) => this.#die(reason));
    this.post({ kind: "open", options });
    this.#look = setInterval(() => this.#lookNow(), timing.lookMs).unref();
  }

  /** The value of the reply. @throws AppError, `worker` when the Worker is lost meanwhile */
  ask(
    request: UpstreamRequest,
    signal?: AbortSignal,
    events?: UpstreamCallEvents,
  ): Promise<unknown> {
    return this.#requests.ask(request, signal, events);
  }

  post(message: ToUpstreamWorker): void {
    if (!this.#isGone) this.#worker.postMessage(encodeToUpstreamWorker(message));
  }

  /**
   * Ends the Worker and all that it has started; what waits for an answer is cancelled.
   * @param msMax what the Worker may take to say that it is ready to go
   */
  async close(msMax: number): Promise<void> {
    if (this.#isGone) return this.#processes.close();
    this.#requests.failAll(new AppError("cancelled", "The server is shutting down."));
    this.post({ kind: "close" });
    const timer = setTimeout(this.#isClosed.resolve, msMax);
    // The Worker closes the inputs of its servers first thing; they have their time from now on.
    const ended = this.#processes.endAll();
    await this.#isClosed.promise;
    clearTimeout(timer);
    this.#end();
    await Promise.all([ended, this.#processes.close()]);
  }

  #receive(text: string): void {
    this.#silentLooks = 0;
    if (!this.#isGone) this.#take(decodeFromUpstreamWorker(text));
  }

  #take(message: FromUpstreamWorker): void {
    switch (message.kind) {
      case "result":
        return this.#requests.onResult(message.id, message.json);
      case "reply":
        return this.#requests.onReply(message.id, message.value);
      case "failed":
        return this.#requests.onFailed(message.id, message.code, message.message);
      case "ask":
        return void this.#requests.onAsk(message);
      case "keep":
        return void this.#requests.onKeep(message);
      case "events":
        return this.#takeEvents(message.events);
      case "slice":
        return this.#takeSlice(message.slice);
      case "pong":
        return;
      case "closed":
        return this.#isClosed.resolve();
      case "mishap":
        return this.#events.warn(
          `internal error in the Worker of other servers: ${message.reason}`,
        );
      case "process":
        return this.#processes.receive(message.request);
    }
  }

  #takeEvents(events: readonly LaneEvent[]): void {
    for (const event of events) {
      if (event.kind === "event") this.#events.onEvent(event.event);
      else this.#requests.onEvent(event);
    }
    this.post({ kind: "events-taken" });
  }

  #takeSlice(slice: Extract<FromUpstreamWorker, { kind: "slice" }>["slice"]): void {
    const done = this.#assembly.add(slice);
    if (done !== undefined) this.#events.onSnapshot(done.snapshot, done.changed);
    this.post({ kind: "slice-taken" });
  }

  #lookNow(): void {
    if (this.#isGone) return;
    this.#silentLooks += 1;
    if (this.#silentLooks > this.#timing.silentLooksMax) return this.#die("it hung");
    this.post({ kind: "ping" });
  }

  #die(reason: string): void {
    if (this.#isGone) return;
    this.#end();
    void this.#processes.close();
    this.#events.onGone(this, reason);
    const text = `The part of this program that speaks to other servers was lost: ${reason}. It starts anew: try again.`;
    this.#requests.failAll(new AppError("worker", text));
  }

  #end(): void {
    this.#isGone = true;
    clearInterval(this.#look);
    this.#isClosed.resolve();
    this.#worker.terminate();
  }
}
