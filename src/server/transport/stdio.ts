import { createDeferred } from "../../base/deferred.ts";
import { MessageParser } from "./message-parser.ts";
import { OutputQueue, type OutputSink } from "./output-queue.ts";
import type { EventsReceiver, Transport } from "./transport.ts";

/** The part of a stream reader that is used. */
export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Lines of JSON on stdin and stdout (docs/spec/modern.md#stdio). The only owner of stdout. */
export class StdioTransport implements Transport {
  readonly #reader: ByteReader;
  readonly #parser = new MessageParser();
  readonly #output: OutputQueue;
  readonly #closed = createDeferred<void>();
  #isClosed = false;
  #claim: Promise<boolean> | undefined;

  constructor(
    input: ByteReader = Bun.stdin.stream().getReader(),
    sink: OutputSink = Bun.stdout.writer(),
  ) {
    this.#reader = input;
    this.#output = new OutputQueue(sink, () => this.close());
  }

  get isCongested(): boolean {
    return this.#output.isFull;
  }

  async run(receive: EventsReceiver): Promise<void> {
    while (!this.#isClosed) {
      const chunk = await this.#read();
      if (chunk === undefined) break;
      this.#deliver(this.#parser.push(chunk), receive);
      if (this.#output.isFull) await Promise.race([this.#output.room(), this.#closed.promise]);
    }
    if (!this.#isClosed) this.#deliver(this.#parser.end(), receive);
  }

  send(text: string): void {
    this.#output.add(text);
  }

  flushed(): Promise<void> {
    return this.#output.idle();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed.resolve();
    // A reader whose stream failed rejects again here; there is nothing left to do about it.
    this.#reader.cancel().catch(() => undefined);
  }

  /**
   * Makes descriptor 1 belong to this transport alone. Not part of starting because it loads `bun:ffi`:
   * call it after the first reply and before the first Worker or child. Resolves to false where it cannot be done.
   */
  claimStdout(): Promise<boolean> {
    this.#claim ??= this.#claimStdout();
    return this.#claim;
  }

  async #claimStdout(): Promise<boolean> {
    const { duplicateStdout } = await import("./claim-stdout.ts");
    for (;;) {
      await this.#output.idle();
      if (!this.#output.isIdle) continue;
      const descriptor = duplicateStdout();
      if (descriptor === undefined) return false;
      this.#output.replaceSink(Bun.file(descriptor).writer());
      return true;
    }
  }

  /** The next chunk; undefined at the end of the input or when it cannot be read any more. */
  async #read(): Promise<Uint8Array | undefined> {
    try {
      return (await this.#reader.read()).value;
    } catch {
      return undefined;
    }
  }

  #deliver(events: Parameters<EventsReceiver>[0], receive: EventsReceiver): void {
    if (events.length === 0) return;
    this.#output.hold();
    receive(events);
    this.#output.release();
  }
}
