import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { ServerLogs } from "../process/server-logs.ts";
import { WorkerProcesses } from "../process/worker-processes.ts";
import type { UpstreamEvent } from "../upstreams.ts";
import { EventOutbox } from "./event-outbox.ts";
import { LogRate } from "./log-rate.ts";
import type { FromUpstreamWorker, ToUpstreamWorker } from "./messages.ts";
import { SnapshotSender } from "./snapshot-sender.ts";
import type { UpstreamOptions } from "./upstream-options.ts";
import type { UpstreamHost, UpstreamWork } from "./upstream-work.ts";
import { WorkerAsks } from "./worker-asks.ts";
import { performRequest } from "./perform-request.ts";

type RequestMessage = Extract<ToUpstreamWorker, { kind: "request" }>;

/** Of what a library says; more is its stack or its data. */
const reasonCharsMax = 500;

/** Takes what the main thread asks for to where it is done, and says how it ended. */
export class UpstreamWorkerSide {
  readonly #open: (options: UpstreamOptions) => Promise<UpstreamWork>;
  readonly #send: (message: FromUpstreamWorker) => void;
  readonly #requests = new Map<number, AbortController>();
  readonly #outbox: EventOutbox;
  readonly #snapshots: SnapshotSender;
  readonly #asks: WorkerAsks;
  readonly #logRate = new LogRate();
  #processes: WorkerProcesses | undefined;
  #logs: ServerLogs | undefined;
  #work: Promise<UpstreamWork> | undefined;

  constructor(
    open: (options: UpstreamOptions) => Promise<UpstreamWork>,
    send: (message: FromUpstreamWorker) => void,
  ) {
    this.#open = open;
    this.#send = send;
    this.#outbox = new EventOutbox((events) => send({ kind: "events", events }));
    this.#snapshots = new SnapshotSender((slice) => send({ kind: "slice", slice }));
    this.#asks = new WorkerAsks(send);
  }

  /** What the work may ask of the main thread. */
  hostFor(options: UpstreamOptions): UpstreamHost {
    const logs = new ServerLogs(join(options.dirs.scorpioxDir, "logs"));
    const processes = new WorkerProcesses(
      (request) => this.#send({ kind: "process", request }),
      logs,
    );
    this.#logs = logs;
    this.#processes = processes;
    return {
      startProcess: (launch) => processes.start(launch),
      log: (server, line) => logs.write(server, "note", line),
      publish: (snapshot) => this.#snapshots.publish(snapshot),
      notify: (event) => this.#notify(event),
    };
  }

  receive(message: ToUpstreamWorker): void {
    switch (message.kind) {
      case "open":
        return this.#start(message.options);
      case "request":
        return void this.#run(message);
      case "cancel":
        return this.#cancel(message.id);
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
      case "ping":
        return this.#send({ kind: "pong" });
      case "close":
        return void this.#close();
      case "process":
        return this.#processes?.receive(message.report);
    }
  }

  report(reason: string): void {
    this.#send({ kind: "mishap", reason: reason.slice(0, reasonCharsMax) });
  }

  #start(options: UpstreamOptions): void {
    this.#work = this.#open(options);
    this.#work
      .then((work) => work.start())
      .catch((error: unknown) => this.report(messageOf(error)));
  }

  #notify(event: UpstreamEvent): void {
    if (event.kind === "snapshot" && this.#snapshots.tellChanged(event.changed)) return;
    this.#outbox.add({ kind: "event", event });
  }

  #withWork(act: (work: UpstreamWork) => void): void {
    this.#work?.then(act).catch((error: unknown) => this.report(messageOf(error)));
  }

  async #run({ id, request }: RequestMessage): Promise<void> {
    const controller = new AbortController();
    this.#requests.set(id, controller);
    const lane = {
      id,
      signal: controller.signal,
      tell: (event: Parameters<EventOutbox["add"]>[0]) => this.#outbox.add(event),
      ask: this.#asks.ask.bind(this.#asks),
      keep: this.#asks.keep.bind(this.#asks),
      logRate: this.#logRate,
    };
    let reply: FromUpstreamWorker;
    try {
      if (this.#work === undefined) throw new Error("a request came before the options");
      reply = await performRequest(await this.#work, request, lane);
    } catch (error) {
      const code = error instanceof AppError ? error.code : "system";
      reply = { kind: "failed", id, code, message: messageOf(error) };
    }
    // Whoever cancelled does not wait for how it ends.
    if (controller.signal.aborted) return;
    this.#outbox.flush(id);
    this.#endRequest(id);
    this.#send(reply);
  }

  #cancel(id: number): void {
    this.#requests.get(id)?.abort();
    this.#endRequest(id);
  }

  #endRequest(id: number): void {
    this.#requests.delete(id);
    this.#asks.endCall(id);
    this.#outbox.forget(id);
  }

  /** Servers see the end of their input at once: it is what most of them end by. */
  async #close(): Promise<void> {
    this.#processes?.endInputs();
    for (const id of this.#requests.keys()) this.#cancel(id);
    try {
      await (await this.#work)?.close();
      await this.#logs?.flush();
    } catch (error) {
      this.report(messageOf(error));
    }
    this.#send({ kind: "closed" });
  }
}
