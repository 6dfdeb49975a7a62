import { startTimer, type Timer } from "../../base/cancellation.ts";
import { attachQueueBytesMax, attachStallMsMax } from "../../base/limits.ts";
import { LineFramer } from "../../server/transport/message-parser.ts";

/**
 * Cuts what comes from a socket into lines of text.
 * @param onLine called with each; false ends the reading
 */
export class SocketLines {
  readonly #framer: LineFramer;
  readonly #onLine: (line: string) => boolean;
  // Invalid UTF-8 is replaced: the message that had it is refused, or shown with the replacement.
  readonly #decoder = new TextDecoder();

  constructor(lineBytesMax: number, onLine: (line: string) => boolean) {
    this.#framer = new LineFramer(lineBytesMax);
    this.#onLine = onLine;
  }

  /** False when a line was too long or not wanted: the connection is of no use any more. */
  push(chunk: Uint8Array): boolean {
    for (const piece of this.#framer.push(chunk)) {
      if (piece.kind === "line-too-long") return false;
      const lines = this.#decoder.decode(piece.bytes).split("\n");
      lines.pop();
      if (!lines.every((line) => this.#onLine(line))) return false;
    }
    return true;
  }
}

/** The part of a socket that is written to. */
export interface ByteSink {
  /** Bytes that were taken; the rest is to be offered again when the sink has room. */
  write(bytes: Uint8Array): number;
}

/** Sends lines without waiting for the reader. One that does not read is given up, so that nothing piles up. */
export class SendQueue implements Disposable {
  readonly #sink: ByteSink;
  readonly #giveUp: () => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #stall: Timer | undefined;

  /** @param giveUp called when the reader takes nothing any more; closes it */
  constructor(sink: ByteSink, giveUp: () => void) {
    this.#sink = sink;
    this.#giveUp = giveUp;
  }

  /** True when nothing waits: the reader keeps up. */
  get isEmpty(): boolean {
    return this.#waitingBytes === 0;
  }

  send(message: unknown): void {
    this.#waiting.push(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    this.#waitingBytes += this.#waiting.at(-1)?.length ?? 0;
    if (this.#waiting.length === 1) this.drain();
    else if (this.#waitingBytes > attachQueueBytesMax) this.#giveUp();
  }

  /** The sink has room again. */
  drain(): void {
    this.#stall?.stop();
    this.#stall = undefined;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const taken = Math.max(0, this.#sink.write(first));
      this.#waitingBytes -= taken;
      if (taken < first.length) {
        this.#waiting[0] = first.subarray(taken);
        this.#stall = startTimer(attachStallMsMax, this.#giveUp);
        return;
      }
      this.#waiting.shift();
    }
  }

  [Symbol.dispose](): void {
    this.#stall?.stop();
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
