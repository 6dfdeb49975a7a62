import { AppError, messageOf } from "../../base/errors.ts";
import {
  upstreamInputAtOnceChars,
  upstreamInputsWaitingMax,
  upstreamInputWaitingBytesMax,
  upstreamLastWordsMs,
} from "../../base/upstream-limits.ts";
import type { ByteReader } from "../../base/values.ts";
import { type ServerLogs, LineSplitter, StderrRing } from "./server-logs.ts";
import type {
  ByteSource,
  ServerPipes,
  UpstreamProcess,
  ServerDescriptors,
} from "./upstream-process.ts";

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
  /** Reads its stderr to the end; never rejects. */
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

  write(text: string): Promise<void> | undefined {
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

  [Symbol.asyncDispose](): Promise<void> {
    this.endInput();
    if (!this.#isStopping) this.#parts.requestStop();
    this.#isStopping = true;
    return this.#gone.promise;
  }

  onEnded(exitCode: number | null, signal: string | null): void {
    this.#input.fail("it has ended");
    // The end of its stderr may still arrive, and a child of its own can hold the pipe open.
    const heard = Promise.race([this.#reading, Bun.sleep(upstreamLastWordsMs)]);
    void heard.then(() => this.#ended.resolve({ exitCode, signal }));
  }

  /** Its whole family is gone. */
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
      // The pipe was closed; everything before that is in the log.
    }
    lines.end();
  }
}

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: AppError) => void;
}

/**
 * Writes to a server in order; texts that arrive while the pipe is full are written together. A server that does not
 * read blocks its own writers only.
 */
export class InputQueue {
  readonly #server: string;
  readonly #write: ServerPipes["write"];
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  #isWriting = false;
  #failure: AppError | undefined;

  constructor(server: string, write: ServerPipes["write"]) {
    this.#server = server;
    this.#write = write;
  }

  /**
   * Undefined when the pipe took the text at once, as it mostly does.
   * @throws AppError `limit` when too much waits; `system` when the server no longer reads
   */
  add(text: string): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const excess = this.#excessWith(text);
    if (excess !== undefined) {
      const message = `The server ${this.#server} does not read: ${excess} wait for it already. Restart it.`;
      return Promise.reject(new AppError("limit", message));
    }
    const writing = this.#isWriting ? undefined : this.#write(text);
    if (!this.#isWriting && writing === undefined) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { text, resolve, reject };
    this.#waitingChars += text.length;
    if (writing === undefined) this.#waiting.push(waiting);
    else void this.#writeAll([waiting], writing);
    return promise;
  }

  /** Makes all waiting and later texts fail; the text that is being written fails with the pipe. */
  fail(reason: string): void {
    this.#failure ??= new AppError(
      "system",
      `The server ${this.#server} does not read: ${reason}.`,
    );
    this.#settle(this.#waiting.splice(0));
  }

  #excessWith(text: string): string | undefined {
    if (this.#waitingChars + text.length > upstreamInputWaitingBytesMax)
      return `${Math.round(this.#waitingChars / 1024 / 1024)} MiB`;
    const count = this.#waiting.length;
    return count >= upstreamInputsWaitingMax ? `${count} messages` : undefined;
  }

  /** Follows the write of `first`, then writes the texts that have come meanwhile. */
  async #writeAll(first: readonly Waiting[], writing: Promise<void>): Promise<void> {
    this.#isWriting = true;
    let [bundle, written]: [readonly Waiting[], Promise<void> | undefined] = [first, writing];
    for (;;) {
      try {
        await written;
        this.#settle(bundle, true);
      } catch (error) {
        this.fail(messageOf(error));
        this.#settle(bundle);
      }
      if (this.#waiting.length === 0) break;
      bundle = this.#takeBundle();
      written = this.#write(bundle.map(({ text }) => text).join(""));
    }
    this.#isWriting = false;
  }

  #takeBundle(): Waiting[] {
    let chars = 0;
    const end = this.#waiting.findIndex(({ text }, at) => {
      chars += text.length;
      return at > 0 && chars > upstreamInputAtOnceChars;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  #settle(bundle: readonly Waiting[], isWritten = false): void {
    for (const { text, resolve, reject } of bundle) {
      this.#waitingChars -= text.length;
      if (isWritten || this.#failure === undefined) resolve();
      else reject(this.#failure);
    }
  }
}

/**
 * Opens the pipes of a server. Before this returns, the runtime makes copies of the descriptors, which end with this
 * thread; the owner of the originals can then close them.
 */
export function openDescriptorPipes(descriptors: ServerDescriptors): ServerPipes {
  const output = readerOf(descriptors.output);
  const errors = readerOf(descriptors.errors);
  const sink = Bun.file(descriptors.input).writer();
  let isEnded = false;
  return {
    // Every answer comes this way: a stream around the stream would cost each of them several promises.
    output: { getReader: () => output.reader },
    errors: streamOf(errors),
    write(text) {
      if (isEnded) return Promise.reject(new Error("its input is closed"));
      try {
        const [written, flushed] = [sink.write(text), sink.flush()];
        if (typeof written === "number" && typeof flushed === "number") return undefined;
        return Promise.all([written, flushed]).then(() => undefined);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    endInput() {
      if (isEnded) return;
      isEnded = true;
      // Unread input is dropped on purpose; the process may be gone as well.
      Promise.resolve(sink.end()).catch(() => {});
    },
    release() {
      this.endInput();
      output.cancel();
      errors.cancel();
    },
  };
}

interface Opened {
  readonly reader: ByteReader;
  cancel(): void;
}

function readerOf(descriptor: number): Opened {
  const reader = Bun.file(descriptor).stream().getReader();
  // The first read makes the copy.
  let first: ReturnType<typeof reader.read> | undefined = reader.read();
  first.catch(() => {});
  return {
    reader: {
      read() {
        const reading = first ?? reader.read();
        first = undefined;
        return reading;
      },
      cancel: () => reader.cancel(),
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

function streamOf({ reader }: Opened): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done || value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}
