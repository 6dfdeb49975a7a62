import type { Readable, Writable } from "node:stream";
import type { ConnectionTransport } from "puppeteer-core";

const endOfMessage = 0;

/** Messages of the DevTools protocol over two pipes, each ended by a NUL (`--remote-debugging-pipe`). */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  readonly #toBrowser: Writable;
  readonly #fromBrowser: Readable;
  #waiting: Buffer[] = [];
  #isClosed = false;

  constructor(toBrowser: Writable, fromBrowser: Readable) {
    this.#toBrowser = toBrowser;
    this.#fromBrowser = fromBrowser;
    fromBrowser.on("data", (chunk: Buffer) => this.#take(chunk));
    for (const stream of [toBrowser, fromBrowser]) {
      // A browser that died this moment: the end of its process says so.
      stream.on("error", () => this.#end());
      stream.on("close", () => this.#end());
    }
  }

  send(message: string): void {
    if (!this.#isClosed) this.#toBrowser.write(`${message}\0`);
  }

  close(): void {
    this.#toBrowser.destroy();
    this.#fromBrowser.destroy();
    this.#end();
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(endOfMessage, start);
      if (end === -1) break;
      const last = chunk.subarray(start, end);
      const message = this.#waiting.length === 0 ? last : Buffer.concat([...this.#waiting, last]);
      this.#waiting = [];
      start = end + 1;
      this.#give(message.toString());
    }
    if (start < chunk.length) this.#waiting.push(chunk.subarray(start));
  }

  /** The library's handler is asynchronous, whatever its type says: what it cannot read would end the process. */
  #give(message: string): void {
    const handled: unknown = this.onmessage?.(message);
    if (handled instanceof Promise) handled.catch(() => this.close());
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}
