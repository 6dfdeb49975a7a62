import { AppError, messageOf } from "../../base/errors.ts";
import {
  upstreamInputAtOnceChars,
  upstreamInputsWaitingMax,
  upstreamInputWaitingBytesMax,
  upstreamLastWordsMs,
  upstreamLogLineCharsMax,
  upstreamStderrBytesMax,
  upstreamStderrLinesMax,
} from "../../base/upstream-limits.ts";
import type { ServerLogs } from "./server-logs.ts";
import type { ByteSource, ServerPipes, UpstreamProcess } from "./upstream-process.ts";

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

/** The end of a server's stderr. */
export class StderrRing {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  append(chunk: Uint8Array): void {
    const kept = chunk.subarray(Math.max(0, chunk.length - upstreamStderrBytesMax)).slice();
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= upstreamStderrBytesMax) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
    }
  }

  /** At most the last twenty non-empty lines; the first may be incomplete. */
  lines(): readonly string[] {
    const bytes = Buffer.concat(this.#chunks);
    const text = bytes.subarray(Math.max(0, bytes.length - upstreamStderrBytesMax)).toString();
    const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== "");
    return lines.slice(-upstreamStderrLinesMax);
  }
}

/** Splits a stream of bytes into lines; a line without end is cut. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Uint8Array): void {
    this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Reports the rest as a line. */
  end(): void {
    this.#take(this.#decoder.decode());
    if (this.#rest !== "") this.#onLine(this.#rest);
    this.#rest = "";
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    while (this.#rest.length > upstreamLogLineCharsMax) {
      this.#onLine(this.#rest.slice(0, upstreamLogLineCharsMax));
      this.#rest = this.#rest.slice(upstreamLogLineCharsMax);
    }
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
  readonly #write: (text: string) => Promise<void>;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  #isWriting = false;
  #failure: AppError | undefined;

  constructor(server: string, write: (text: string) => Promise<void>) {
    this.#server = server;
    this.#write = write;
  }

  /** @throws AppError `limit` when too much waits; `system` when the server no longer reads */
  add(text: string): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const excess = this.#excessWith(text);
    if (excess !== undefined) {
      const message = `The server ${this.#server} does not read: ${excess} wait for it already. Restart it.`;
      return Promise.reject(new AppError("limit", message));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ text, resolve, reject });
    this.#waitingChars += text.length;
    void this.#writeAll();
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

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const bundle = this.#takeBundle();
      try {
        await this.#write(bundle.map(({ text }) => text).join(""));
        this.#settle(bundle, true);
      } catch (error) {
        this.fail(messageOf(error));
        this.#settle(bundle);
      }
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
