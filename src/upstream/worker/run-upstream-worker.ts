import { join } from "node:path";

import type { Abortable } from "../../base/cancellation.ts";
import { RatePerSecond } from "../../base/rate-per-second.ts";
import { upstreamLogsPerSecondMax } from "../../base/upstream-limits.ts";
import {
  serveChannel,
  type WorkerHost,
  type WorkerWork,
} from "../../base/worker-channel/worker-side.ts";
import { ServerLogs } from "../process/server-logs.ts";
import { WorkerProcesses } from "../process/worker-processes.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { LogLevel, Params } from "../../protocol/json-rpc.ts";
import type { ServerInfo } from "../server-state.ts";
import type {
  SavedResultRecord,
  UpstreamEvent,
  UpstreamCall,
  UpstreamCallEvents,
} from "../upstreams.ts";
import type { FromUpstreamPost, LaneEvent, ToUpstreamPost, UpstreamRequest } from "./messages.ts";
import { SnapshotSender } from "./snapshot-slices.ts";
import { EventOutbox, PacedProgress } from "./outbox.ts";
import { WorkerAsks } from "./worker-asks.ts";
import type { UpstreamOptions } from "./upstream-options.ts";
import type { UpstreamWork, UpstreamHost, OpenUpstreams } from "./upstream-work.ts";

/** Runs the upstream Worker. @param load loads the work once the options have arrived */
export function runUpstreamWorker(load: () => Promise<OpenUpstreams>): void {
  serveChannel(
    (options: UpstreamOptions, host: UpstreamWorkerHost) =>
      new UpstreamWorkerSide(options, load, host),
    { survivesErrors: true },
  );
}

type UpstreamWorkerHost = WorkerHost<FromUpstreamPost>;

/** Shared by several sides on one thread: the processes of all servers, and their logs. */
export interface SharedProcesses {
  readonly processes: WorkerProcesses;
  readonly logs: ServerLogs;
}

/** Passes requests of the main thread to the work, and events and questions of servers back. */
export class UpstreamWorkerSide implements WorkerWork<UpstreamRequest, ToUpstreamPost> {
  readonly #host: UpstreamWorkerHost;
  readonly #outbox: EventOutbox;
  readonly #snapshots: SnapshotSender;
  readonly #asks: WorkerAsks;
  readonly #logRate = new RatePerSecond(upstreamLogsPerSecondMax);
  readonly #processes: WorkerProcesses;
  readonly #logs: ServerLogs;
  readonly #ownsProcesses: boolean;
  readonly #work: Promise<UpstreamWork>;
  /** The work, once it is made: calls do not wait for it then. */
  #made: UpstreamWork | undefined;

  /** @param shared the processes of servers, where other sides use them too: they outlive this one */
  constructor(
    options: UpstreamOptions,
    load: () => Promise<OpenUpstreams>,
    host: UpstreamWorkerHost,
    shared?: SharedProcesses,
  ) {
    this.#host = host;
    this.#outbox = new EventOutbox((events) => host.post({ kind: "events", events }));
    this.#snapshots = new SnapshotSender((slice) => host.post({ kind: "slice", slice }));
    this.#asks = new WorkerAsks((post) => host.post(post));
    this.#ownsProcesses = shared === undefined;
    this.#logs = shared?.logs ?? new ServerLogs(join(options.dirs.scorpioxDir, "logs"));
    this.#processes =
      shared?.processes ??
      new WorkerProcesses((request) => host.post({ kind: "process", request }), this.#logs);
    this.#work = load().then((openUpstreams) => openUpstreams(options, this.#upstreamHost()));
    this.#work.then((work) => (this.#made = work).start()).catch(host.report);
  }

  async call(request: UpstreamRequest, id: number, signal: Abortable): Promise<unknown> {
    return this.#perform(this.#made ?? (await this.#work), request, id, signal);
  }

  /** Nothing of a call follows its cancellation. */
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

  /** Empty until the work is loaded. */
  infoList(): readonly ServerInfo[] {
    return this.#made?.infoList() ?? [];
  }

  /** Closes the inputs of servers first: that makes most of them exit. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ownsProcesses) this.#processes.endInputs();
    this.#host.cancelCalls();
    await (await this.#work)[Symbol.asyncDispose]();
    await this.#logs.flush();
  }

  /** The value of the reply, or its promise; `JsonText` is passed on unparsed. */
  #perform(work: UpstreamWork, request: UpstreamRequest, id: number, signal: Abortable): unknown {
    switch (request.kind) {
      case "call":
        return this.#relay(work, request.call, id, signal);
      case "search":
        return work.search(request.query, signal);
      case "check":
        return work.checkArguments(request.server, request.tool, request.args, signal);
      case "control":
        return work.control(request.control, signal);
      case "info":
        return work.infoList();
      case "subscribe":
        return work.subscribe(request.uri, request.clientId);
    }
  }

  async #relay(
    work: UpstreamWork,
    call: UpstreamCall,
    id: number,
    signal: Abortable,
  ): Promise<unknown> {
    using events = new CallEvents(call.server, id, signal, {
      outbox: this.#outbox,
      asks: this.#asks,
      logRate: this.#logRate,
    });
    const reply = await work.call(call, events, signal);
    return reply.kind === "result" ? reply.json : reply;
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

interface CallLanes {
  readonly outbox: EventOutbox;
  readonly asks: WorkerAsks;
  readonly logRate: RatePerSecond;
}

/** The events of one call on their way to the main thread: they go before its answer, and none follows it. */
class CallEvents implements UpstreamCallEvents, Disposable {
  readonly #server: string;
  readonly #id: number;
  readonly #signal: Abortable;
  readonly #lanes: CallLanes;
  /** Made with the first step: most calls report none. */
  #progress: PacedProgress | undefined;
  #hasSent = false;
  #hasAsked = false;
  #isOver = false;

  constructor(server: string, id: number, signal: Abortable, lanes: CallLanes) {
    this.#server = server;
    this.#id = id;
    this.#signal = signal;
    this.#lanes = lanes;
  }

  onProgress(value: number, total: number | undefined, message: string | undefined): void {
    if (this.#isOver) return;
    this.#progress ??= new PacedProgress((progress, ...[of, text]) =>
      this.#send({
        kind: "progress",
        id: this.#id,
        progress,
        ...(of !== undefined && { total: of }),
        ...(text !== undefined && { message: text }),
      }),
    );
    this.#progress.report(value, total, message);
  }

  ask(question: InputRequest): Promise<Params> {
    this.#hasAsked = true;
    return this.#lanes.asks.ask(this.#id, question);
  }

  keep(output: SavedResultRecord): Promise<number | undefined> {
    this.#hasAsked = true;
    return this.#lanes.asks.keep(this.#id, output);
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    if (this.#isOver || this.#signal.aborted || !this.#lanes.logRate.take(this.#server)) return;
    const more = logger === undefined ? {} : { logger };
    this.#send({ kind: "log", id: this.#id, level, data, ...more });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#progress?.[Symbol.dispose]();
    const { outbox, asks } = this.#lanes;
    if (this.#hasSent && !this.#signal.aborted) outbox.flush(this.#id);
    if (this.#hasSent) outbox.forget(this.#id);
    if (this.#hasAsked) asks.endCall(this.#id);
  }

  #send(event: LaneEvent): void {
    this.#hasSent = true;
    this.#lanes.outbox.add(event);
  }
}
