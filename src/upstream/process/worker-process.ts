import { upstreamLastWordsMs } from "../../base/upstream-limits.ts";
import { InputQueue } from "./input-queue.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { ServerLogs } from "./server-logs.ts";
import type { ByteSource, ServerPipes } from "./server-pipes.ts";
import { StderrRing } from "./stderr-ring.ts";
import type { UpstreamProcess } from "./upstream-process.ts";

export interface WorkerProcessParts {
  readonly server: string;
  readonly pid: number;
  readonly pipes: ServerPipes;
  readonly logs: ServerLogs;
  readonly redact: (text: string) => string;
  /** Asks the main thread to end it. */
  readonly requestStop: () => void;
}

/** A started server, as its connection in the Worker sees it. */
export class WorkerProcess implements UpstreamProcess {
  readonly #parts: WorkerProcessParts;
  readonly #ended = Promise.withResolvers<Awaited<UpstreamProcess["ended"]>>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #input: InputQueue;
  readonly #stderr = new StderrRing();
  /** Of what it writes to stderr; never rejects. */
  readonly #reading: Promise<void>;
  #isStopping = false;
  #lastErrorAt: number | undefined;

  constructor(parts: WorkerProcessParts) {
    this.#parts = parts;
    this.#input = new InputQueue(parts.server, (text) => parts.pipes.write(text));
    this.#reading = this.#readErrors();
  }

  get pid(): number {
    return this.#parts.pid;
  }

  get output(): ByteSource {
    return this.#parts.pipes.output;
  }

  get ended(): UpstreamProcess["ended"] {
    return this.#ended.promise;
  }

  write(text: string): Promise<void> {
    return this.#input.add(text);
  }

  endInput(): void {
    this.#input.fail("its input was closed");
    this.#parts.pipes.endInput();
  }

  stderrTail(): readonly string[] {
    return this.#stderr.lines().map(this.#parts.redact);
  }

  lastErrorAt(): number | undefined {
    return this.#lastErrorAt;
  }

  stop(): Promise<void> {
    this.endInput();
    if (!this.#isStopping) this.#parts.requestStop();
    this.#isStopping = true;
    return this.#gone.promise;
  }

  onEnded(exitCode: number | null, signal: string | null): void {
    this.#input.fail("it has ended");
    // Its last words may still be on their way; a child of its own can hold the pipe open.
    const heard = Promise.race([this.#reading, Bun.sleep(upstreamLastWordsMs)]);
    void heard.then(() => this.#ended.resolve({ exitCode, signal }));
  }

  /** Nothing is left of it. */
  onGone(): void {
    this.onEnded(null, null);
    this.#gone.resolve();
    this.#parts.pipes.endInput();
  }

  async #readErrors(): Promise<void> {
    const { logs, server, redact, pipes } = this.#parts;
    const lines = new LineSplitter((line) => logs.write(server, "stderr", redact(line)));
    try {
      for await (const chunk of pipes.errors) {
        this.#stderr.append(chunk);
        this.#lastErrorAt = performance.now();
        lines.add(chunk);
      }
    } catch {
      // The pipe was let go: what came before is in the log.
    }
    lines.end();
  }
}
