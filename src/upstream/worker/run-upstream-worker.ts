import { join } from "node:path";
import type { WorkerHost, WorkerWork } from "../../base/worker-channel/worker-side.ts";
import { ServerLogs } from "../process/server-logs.ts";
import { WorkerProcesses } from "../process/worker-processes.ts";
import type { UpstreamEvent } from "../upstreams.ts";
import { EventOutbox } from "./event-outbox.ts";
import { LogRate } from "./log-rate.ts";
import type { FromUpstreamPost, ToUpstreamPost, UpstreamRequest } from "./messages.ts";
import { performRequest } from "./perform-request.ts";
import { SnapshotSender } from "./snapshot-sender.ts";
import type { UpstreamHost, UpstreamWork } from "./upstream-work.ts";
import { WorkerAsks } from "./worker-asks.ts";
import { serveChannel } from "../../base/worker-channel/worker-side.ts";
import type { OpenUpstreams } from "./upstream-work.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/**
 * The whole of the Worker that speaks to upstream servers.
 * @param load gives what does the work, when the options are there
 */
export function runUpstreamWorker(load: () => Promise<OpenUpstreams>): void {
  serveChannel(
    (options: UpstreamOptions, host: UpstreamWorkerHost) =>
      new UpstreamWorkerSide(options, load, host),
    { survivesErrors: true },
  );
}

type UpstreamWorkerHost = WorkerHost<FromUpstreamPost>;

/** Takes what the main thread asks for to where it is done, and sends beside the replies what servers tell and ask. */
class UpstreamWorkerSide implements WorkerWork<UpstreamRequest, ToUpstreamPost> {
  readonly #host: UpstreamWorkerHost;
  readonly #outbox: EventOutbox;
  readonly #snapshots: SnapshotSender;
  readonly #asks: WorkerAsks;
  readonly #logRate = new LogRate();
  readonly #processes: WorkerProcesses;
  readonly #logs: ServerLogs;
  readonly #work: Promise<UpstreamWork>;

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
    this.#work.then((work) => work.start()).catch(host.report);
  }

  async call(request: UpstreamRequest, id: number, signal: AbortSignal): Promise<unknown> {
    const end = (): void => this.#endRequest(id);
    signal.addEventListener("abort", end, { once: true });
    try {
      return await performRequest(await this.#work, request, {
        id,
        signal,
        tell: (event) => this.#outbox.add(event),
        ask: this.#asks.ask.bind(this.#asks),
        keep: this.#asks.keep.bind(this.#asks),
        logRate: this.#logRate,
      });
    } finally {
      if (!signal.aborted) this.#outbox.flush(id);
      end();
    }
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

  /** Servers see the end of their input at once: it is what most of them end by. */
  async close(): Promise<void> {
    this.#processes.endInputs();
    this.#host.cancelCalls();
    await (await this.#work).close();
    await this.#logs.flush();
  }

  /** What the work may ask of the main thread. */
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

  #endRequest(id: number): void {
    this.#asks.endCall(id);
    this.#outbox.forget(id);
  }
}
