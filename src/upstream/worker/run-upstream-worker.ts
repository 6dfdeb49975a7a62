import { join } from "node:path";

import { AppError, type AppErrorCode } from "../../base/errors.ts";
import { upstreamAsksMax } from "../../base/upstream-limits.ts";
import {
  serveChannel,
  type WorkerHost,
  type WorkerWork,
} from "../../base/worker-channel/worker-side.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { ServerLogs } from "../process/server-logs.ts";
import { WorkerProcesses } from "../process/worker-processes.ts";
import type { KeptResult, UpstreamEvent } from "../upstreams.ts";
import { EventOutbox, LogRate, SnapshotSender } from "./event-outbox.ts";
import type { FromUpstreamPost, ToUpstreamPost, UpstreamRequest } from "./messages.ts";
import { performRequest } from "./perform-request.ts";
import type {
  OpenUpstreams,
  UpstreamHost,
  UpstreamOptions,
  UpstreamWork,
} from "./upstream-options.ts";

/** Runs the upstream Worker. @param load loads the work once the options have arrived */
export function runUpstreamWorker(load: () => Promise<OpenUpstreams>): void {
  serveChannel(
    (options: UpstreamOptions, host: UpstreamWorkerHost) =>
      new UpstreamWorkerSide(options, load, host),
    { survivesErrors: true },
  );
}

type UpstreamWorkerHost = WorkerHost<FromUpstreamPost>;

/** Passes requests of the main thread to the work, and events and questions of servers back. */
class UpstreamWorkerSide implements WorkerWork<UpstreamRequest, ToUpstreamPost> {
  readonly #host: UpstreamWorkerHost;
  readonly #outbox: EventOutbox;
  readonly #snapshots: SnapshotSender;
  readonly #asks: WorkerAsks;
  readonly #logRate = new LogRate();
  readonly #processes: WorkerProcesses;
  readonly #logs: ServerLogs;
  readonly #work: Promise<UpstreamWork>;
  /** The same once it is made: calls do not wait for it then. */
  #made: UpstreamWork | undefined;

  constructor(
    options: UpstreamOptions,
    load: () => Promise<OpenUpstreams>,
    host: UpstreamWorkerHost,
  ) {
    this.#host = host;
    this.#outbox = new EventOutbox((events) => host.post({ kind: "events", events }));
    this.#snapshots = new SnapshotSender((slice) => host.post({ kind: "slice", slice }));
    this.#asks = new WorkerAsks((post) => host.post(post));
    this.#logs = new ServerLogs(join(options.dirs.scorpioxDir, "logs"));
    this.#processes = new WorkerProcesses(
      (request) => host.post({ kind: "process", request }),
      this.#logs,
    );
    this.#work = load().then((openUpstreams) => openUpstreams(options, this.#upstreamHost()));
    this.#work.then((work) => (this.#made = work).start()).catch(host.report);
  }

  async call(request: UpstreamRequest, id: number, signal: AbortSignal): Promise<unknown> {
    try {
      return await performRequest(this.#made ?? (await this.#work), request, {
        id,
        signal,
        tell: (event) => this.#outbox.add(event),
        ask: this.#asks.ask.bind(this.#asks),
        keep: this.#asks.keep.bind(this.#asks),
        logRate: this.#logRate,
      });
    } finally {
      if (!signal.aborted) this.#outbox.flush(id);
      this.onCancelled(id);
    }
  }

  /** Nothing of a call follows its end. */
  onCancelled(id: number): void {
    this.#asks.endCall(id);
    this.#outbox.forget(id);
  }

  receive(message: ToUpstreamPost): void {
    switch (message.kind) {
      case "answer":
        return this.#asks.answer(message.askId, message.answer);
      case "refusal":
        return this.#asks.refuse(message.askId, message.code, message.message);
      case "unsubscribe":
        return this.#withWork((work) => work.unsubscribe(message.uri, message.clientId));
      case "end-client":
        return this.#withWork((work) => work.endClient(message.clientId));
      case "events-taken":
        return this.#outbox.onTaken();
      case "slice-taken":
        return this.#snapshots.onTaken();
      case "process":
        return this.#processes.receive(message.report);
    }
  }

  /** Closes the inputs of servers first: that makes most of them exit. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#processes.endInputs();
    this.#host.cancelCalls();
    await (await this.#work)[Symbol.asyncDispose]();
    await this.#logs.flush();
  }

  /** The services of the main thread for the work. */
  #upstreamHost(): UpstreamHost {
    return {
      startProcess: (launch) => this.#processes.start(launch),
      log: (server, line) => this.#logs.write(server, "note", line),
      publish: (snapshot) => this.#snapshots.publish(snapshot),
      notify: (event) => this.#notify(event),
    };
  }

  #notify(event: UpstreamEvent): void {
    if (event.kind === "snapshot" && this.#snapshots.tellChanged(event.changed)) return;
    this.#outbox.add({ kind: "event", event });
  }

  #withWork(act: (work: UpstreamWork) => void): void {
    this.#work.then(act).catch(this.#host.report);
  }
}

interface WaitingAsk {
  readonly callId: number;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: AppError) => void;
}

/**
 * Requests of calls to the main thread: questions of servers for the client, and background tasks for results that were
 * cut.
 */
class WorkerAsks {
  readonly #send: (message: FromUpstreamPost) => void;
  readonly #waiting = new Map<number, WaitingAsk>();
  #lastId = 0;

  constructor(send: (message: FromUpstreamPost) => void) {
    this.#send = send;
  }

  /** @throws AppError `limit` when the call has too many open questions; otherwise the error in the answer */
  ask(callId: number, request: InputRequest): Promise<Params> {
    const open = [...this.#waiting.values()].filter((ask) => ask.callId === callId).length;
    if (open >= upstreamAsksMax) {
      const text = `The server has ${upstreamAsksMax} open questions already. It must wait for an answer.`;
      return Promise.reject(new AppError("limit", text));
    }
    return this.#put(callId, (askId) => ({ kind: "ask", id: callId, askId, request }));
  }

  /** The background task through which the client reads the rest; undefined when the call has ended. */
  async keep(callId: number, output: KeptResult): Promise<number | undefined> {
    try {
      const message = (askId: number) => ({ kind: "keep", id: callId, askId, output }) as const;
      const { taskId } = await this.#put(callId, message);
      return typeof taskId === "number" ? taskId : undefined;
    } catch {
      return undefined;
    }
  }

  #put(callId: number, message: (askId: number) => FromUpstreamPost): Promise<Params> {
    const askId = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    this.#waiting.set(askId, { callId, resolve, reject });
    this.#send(message(askId));
    return promise;
  }

  answer(askId: number, answer: Params): void {
    this.#take(askId)?.resolve(answer);
  }

  refuse(askId: number, code: AppErrorCode, message: string): void {
    this.#take(askId)?.reject(new AppError(code, message));
  }

  /** Rejects the open questions of a call that has ended. */
  endCall(callId: number): void {
    for (const [askId, ask] of this.#waiting) {
      if (ask.callId !== callId) continue;
      this.#waiting.delete(askId);
      ask.reject(new AppError("cancelled", "The call of this question has ended."));
    }
  }

  #take(askId: number): WaitingAsk | undefined {
    const ask = this.#waiting.get(askId);
    this.#waiting.delete(askId);
    return ask;
  }
}
