import { AppError, messageOf } from "../../base/errors.ts";
import type { ProcessReport, ProcessRequest } from "./process-messages.ts";
import { RelayedPipes } from "./relayed-pipes.ts";
import type { ServerLogs } from "./server-logs.ts";
import { openDescriptorPipes } from "./spawn-server.ts";
import type { ProcessLaunch, ServerPipes, UpstreamProcess } from "./upstream-process.ts";
import { WorkerProcess } from "./worker-process.ts";

interface Starting {
  readonly launch: ProcessLaunch;
  readonly started: PromiseWithResolvers<UpstreamProcess>;
}

interface Live {
  readonly process: WorkerProcess;
  readonly pipes: ServerPipes;
}

/**
 * The processes of servers as the Worker sees them. They belong to the main thread; the Worker asks for them by
 * message.
 */
export class WorkerProcesses {
  readonly #send: (message: ProcessRequest) => void;
  readonly #logs: ServerLogs;
  readonly #starting = new Map<number, Starting>();
  readonly #live = new Map<number, Live>();
  #lastNumber = 0;

  constructor(send: (message: ProcessRequest) => void, logs: ServerLogs) {
    this.#send = send;
    this.#logs = logs;
  }

  /** @throws AppError `system` with advice when it cannot be started; `cancelled` during shutdown */
  start(launch: ProcessLaunch): Promise<UpstreamProcess> {
    const process = ++this.#lastNumber;
    const started = Promise.withResolvers<UpstreamProcess>();
    this.#starting.set(process, { launch, started });
    const { redact: _redact, ...plain } = launch;
    this.#send({ kind: "start-process", process, launch: plain });
    return started.promise;
  }

  receive(report: ProcessReport): void {
    switch (report.kind) {
      case "process-started":
        return this.#onStarted(report);
      case "process-refused":
        return this.#onRefused(report);
      case "process-ended":
        return this.#live.get(report.process)?.process.onEnded(report.exitCode, report.signal);
      case "process-gone":
        return this.#onGone(report.process);
      case "process-output":
        return this.#relayed(report.process)?.receive(report.pipe, report.base64);
      case "process-input-taken":
        return this.#relayed(report.process)?.onTaken(report.failure);
    }
  }

  /** Closes the inputs of all servers. */
  endInputs(): void {
    for (const { process } of this.#live.values()) process.endInput();
  }

  #onStarted(report: Extract<ProcessReport, { kind: "process-started" }>): void {
    const number = report.process;
    const starting = this.#starting.get(number);
    if (starting === undefined) return;
    this.#starting.delete(number);
    const { launch, started } = starting;
    let pipes: ServerPipes;
    try {
      pipes =
        report.pipes.kind === "descriptors"
          ? openDescriptorPipes(report.pipes)
          : new RelayedPipes(number, this.#send);
    } catch (error) {
      this.#send({ kind: "stop-process", process: number });
      const text = `The pipes of the server ${launch.server} could not be opened: ${messageOf(error)}.`;
      return started.reject(new AppError("system", text));
    } finally {
      this.#send({ kind: "process-opened", process: number });
    }
    const process = new WorkerProcess({
      server: launch.server,
      pid: report.pid,
      pipes,
      logs: this.#logs,
      redact: launch.redact ?? ((text) => text),
      requestStop: () => this.#send({ kind: "stop-process", process: number }),
    });
    this.#live.set(number, { process, pipes });
    started.resolve(process);
  }

  #onRefused(report: Extract<ProcessReport, { kind: "process-refused" }>): void {
    const starting = this.#starting.get(report.process);
    this.#starting.delete(report.process);
    starting?.started.reject(new AppError(report.code, report.message));
  }

  #onGone(number: number): void {
    const live = this.#live.get(number);
    this.#live.delete(number);
    live?.process.onGone();
    // Its last output is still read from the pipes; an escaped process may hold them open forever.
    const release = (): void => live?.pipes.release();
    setTimeout(release, lastOutputMs).unref();
  }

  #relayed(number: number): RelayedPipes | undefined {
    const pipes = this.#live.get(number)?.pipes;
    return pipes instanceof RelayedPipes ? pipes : undefined;
  }
}

/** How long to read the output of a server that is gone. */
const lastOutputMs = 1_000;
