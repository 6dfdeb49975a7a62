import type { ProcessRequest } from "./process-messages.ts";
import type { ServerPipes } from "./upstream-process.ts";

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
