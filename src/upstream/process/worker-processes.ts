import { AppError, messageOf } from "../../base/errors.ts";
import type { ServerLogs } from "./server-logs.ts";
import type {
  ProcessReport,
  ProcessRequest,
  ProcessLaunch,
  ServerPipes,
  UpstreamProcess,
} from "./upstream-process.ts";
import { WorkerProcess, openDescriptorPipes } from "./worker-process.ts";

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

interface Incoming {
  readonly stream: ReadableStream<Uint8Array>;
  add(chunk: Uint8Array | undefined): void;
}

/** Pipes of the main thread whose bytes arrive as messages, where descriptors cannot be shared (Windows). */
export class RelayedPipes implements ServerPipes {
  readonly #process: number;
  readonly #send: (message: ProcessRequest) => void;
  readonly #incoming: Readonly<Record<"output" | "errors", Incoming>>;
  #written: PromiseWithResolvers<void> | undefined;
  #isEnded = false;

  constructor(process: number, send: (message: ProcessRequest) => void) {
    this.#process = process;
    this.#send = send;
    const taken = (pipe: "output" | "errors") => (): void =>
      send({ kind: "process-output-taken", process, pipe });
    this.#incoming = { output: incoming(taken("output")), errors: incoming(taken("errors")) };
  }

  get output(): ReadableStream<Uint8Array> {
    return this.#incoming.output.stream;
  }

  get errors(): ReadableStream<Uint8Array> {
    return this.#incoming.errors.stream;
  }

  /** Receives a chunk of the server's output; without `base64`, its end. */
  receive(pipe: "output" | "errors", base64: string | undefined): void {
    this.#incoming[pipe].add(
      base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, "base64")),
    );
  }

  /** The server has read the input, or no longer reads. */
  onTaken(failure: string | undefined): void {
    const written = this.#written;
    this.#written = undefined;
    if (failure === undefined) written?.resolve();
    else written?.reject(new Error(failure));
  }

  async write(text: string): Promise<void> {
    if (this.#isEnded) throw new Error("its input is closed");
    this.#written = Promise.withResolvers<void>();
    this.#send({ kind: "process-input", process: this.#process, text });
    await this.#written.promise;
  }

  endInput(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#send({ kind: "end-process-input", process: this.#process });
  }

  /** Keeps the output open: its last chunks still arrive, and the main thread reports the end. */
  release(): void {
    this.endInput();
    this.onTaken("the server is gone");
  }
}

/** A stream of incoming chunks. The main thread stops reading while too many of them are not taken. */
function incoming(onTaken: () => void): Incoming {
  /** Undefined marks the end. */
  const chunks: (Uint8Array | undefined)[] = [];
  let more = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (chunks.length === 0) await more.promise;
        const chunk = chunks.shift();
        if (chunk === undefined) return controller.close();
        controller.enqueue(chunk);
        onTaken();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    add(chunk) {
      chunks.push(chunk);
      more.resolve();
      more = Promise.withResolvers<void>();
    },
  };
}
