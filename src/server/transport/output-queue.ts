import { outputQueueBytesMax } from "../../base/limits.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";

/** The part of a Bun `FileSink` that is used. */
export interface OutputSink {
  write(text: string): number | Promise<number>;
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
  #waiting: string[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isBroken = false;
  #isHeld = false;
  #isScheduled = false;
  #idle: Deferred<void> | undefined;
  #room: Deferred<void> | undefined;

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
  add(text: string): void {
    if (this.#isBroken) return;
    this.#waiting.push(text);
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
    this.#idle ??= createDeferred<void>();
    return this.#idle.promise;
  }

  /** Resolves when the queue takes more. */
  room(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    this.#room ??= createDeferred<void>();
    return this.#room.promise;
  }

  /** Writes from now on to another sink. The queue must be idle, or lines would change places. */
  replaceSink(sink: OutputSink): void {
    this.#sink = sink;
  }

  #writeWaiting(): void {
    if (this.#isWriting || this.#isHeld) return;
    if (this.#waiting.length > 0) {
      const text = `${this.#waiting.join("\n")}\n`;
      this.#waiting = [];
      this.#waitingBytes = 0;
      const written = this.#write(text);
      if (written !== undefined) {
        this.#isWriting = true;
        void written.then(() => this.#continueAfterWrite());
        return;
      }
    }
    this.#settle();
  }

  /** Undefined when the system took everything at once, as it mostly does. */
  #write(text: string): Promise<void> | undefined {
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
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#room?.resolve();
    this.#room = undefined;
    this.#onBroken();
  }
}
