import { outputQueueBytesMax } from "../../base/limits.ts";
import { joinedRecord, type ReplyRecord } from "../../base/reply-record.ts";
import type { ByteReader } from "../../base/values.ts";
import { MessageParser } from "./message-parser.ts";
import type { EventsReceiver, Transport } from "./transport.ts";

/** Lines of JSON on stdin and stdout (docs/spec/modern.md#stdio). The only owner of stdout. */
export class StdioTransport implements Transport {
  readonly #reader: ByteReader;
  readonly #parser = new MessageParser();
  readonly #output: OutputQueue;
  readonly #closed = Promise.withResolvers<void>();
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

  send(text: string, record?: ReplyRecord): void {
    this.#output.add(text, record);
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
      this.#output.replaceSink(Bun.file(descriptor).writer(), descriptor);
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

/** The part of a Bun `FileSink` that is used. */
export interface OutputSink {
  write(text: string | Uint8Array): number | Promise<number>;
  flush(): number | Promise<number>;
}

/**
 * Messages on their way to a reader that may be slow. At most one write is under way; what comes meanwhile
 * waits here, and `isFull` tells the owner to read no more input. Nothing that was accepted gets lost
 * unless the reader closes its end (TH6, TH30).
 */
export class OutputQueue {
  readonly #bytesMax: number;
  readonly #onBroken: () => void;
  #sink: OutputSink;
  /** The descriptor of the sink, where nobody else writes. */
  #pipe: number | undefined;
  #waiting: string[] = [];
  /** Records of the lines that wait: few lines have one. */
  #records: ReplyRecord[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isBroken = false;
  #isHeld = false;
  #isScheduled = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** `onBroken` is called once, when the reader has closed its end. */
  constructor(sink: OutputSink, onBroken: () => void, bytesMax: number = outputQueueBytesMax) {
    this.#sink = sink;
    this.#onBroken = onBroken;
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#waitingBytes > this.#bytesMax;
  }

  get isIdle(): boolean {
    return !this.#isWriting && this.#waiting.length === 0;
  }

  /** Adds one line. It goes out with all others of the same turn unless `hold` is in force. */
  add(text: string, record?: ReplyRecord): void {
    if (this.#isBroken) return record?.dropped();
    this.#waiting.push(text);
    if (record !== undefined) this.#records.push(record);
    // Only while a write is under way can lines pile up, so only then they are counted.
    if (this.#isWriting) this.#waitingBytes += Buffer.byteLength(text) + 1;
    if (this.#isHeld || this.#isWriting || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#writeWaiting();
    });
  }

  /** Collects what is added until `release`, which writes it at once. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#writeWaiting();
  }

  /** Resolves when nothing waits and no write is under way. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /** Resolves when the queue takes more. */
  room(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Writes from now on to another sink. The queue must be idle, or lines would change places. @param pipe its descriptor */
  replaceSink(sink: OutputSink, pipe?: number): void {
    this.#sink = sink;
    this.#pipe = pipe;
  }

  #writeWaiting(): void {
    if (this.#isWriting || this.#isHeld) return;
    if (this.#waiting.length > 0) {
      const [first = ""] = this.#waiting;
      const text = `${this.#waiting.length === 1 ? first : this.#waiting.join("\n")}\n`;
      this.#waiting = [];
      this.#waitingBytes = 0;
      const written = this.#writeRecorded(text);
      if (written !== undefined) {
        this.#isWriting = true;
        void written.then(() => this.#continueAfterWrite());
        return;
      }
    }
    this.#settle();
  }

  /** Undefined when the system took everything at once. */
  #writeRecorded(text: string): Promise<void> | undefined {
    const record = this.#records.length === 0 ? undefined : joinedRecord(this.#records);
    if (record === undefined) return this.#write(text);
    this.#records = [];
    const rest = this.#pipe === undefined ? undefined : record.writeTo?.(this.#pipe, text);
    // A client that kills this process as soon as it has read a reply leaves no time to write it down afterwards.
    if (rest === undefined) record.given();
    const written = rest?.length === 0 ? undefined : this.#write(rest ?? text);
    if (written === undefined && !this.#isBroken) {
      record.taken();
      return undefined;
    }
    if (rest === undefined) record.withdrawn();
    return (written ?? Promise.resolve()).then(() => {
      if (this.#isBroken) record.dropped();
      else record.taken();
    });
  }

  /** Undefined when the system took everything at once, as it mostly does. */
  #write(text: string | Uint8Array): Promise<void> | undefined {
    let written: number | Promise<number> = 0;
    let flushed: number | Promise<number> = 0;
    try {
      written = this.#sink.write(text);
      flushed = this.#sink.flush();
    } catch {
      this.#break();
    }
    if (typeof written === "number" && typeof flushed === "number") return undefined;
    return Promise.all([written, flushed]).then(
      () => undefined,
      () => this.#break(),
    );
  }

  #continueAfterWrite(): void {
    this.#isWriting = false;
    this.#writeWaiting();
    if (!this.isFull) {
      this.#room?.resolve();
      this.#room = undefined;
    }
  }

  #settle(): void {
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    for (const record of this.#records) record.dropped();
    this.#records = [];
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#room?.resolve();
    this.#room = undefined;
    this.#onBroken();
  }
}
