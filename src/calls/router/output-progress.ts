import { progressPerSecondMax } from "../../base/limits.ts";

/** Characters of one progress message; a flood is shown by its newest lines. */
const progressCharsMax = 2_000;

/**
 * Turns a stream of output into progress messages: new lines as they come, joined to at most ten
 * messages a second, each bounded.
 */
export class OutputProgress implements Disposable {
  readonly #send: (message: string) => void;
  readonly #decoder = new TextDecoder();
  #waiting = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  readonly onOutput = (chunk: Uint8Array): void => {
    // Decoding a flood in full would cost more than it is worth.
    const newest = chunk.length > progressCharsMax ? chunk.subarray(-progressCharsMax) : chunk;
    const text = this.#waiting + this.#decoder.decode(newest, { stream: true });
    this.#waiting = text.slice(-progressCharsMax);
    const intervalMs = 1_000 / progressPerSecondMax;
    const waitMs = this.#sentAt + intervalMs - performance.now();
    if (waitMs <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), waitMs).unref();
  };

  /** Nothing is sent any more: the result follows. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = Bun.stripANSI(this.#waiting).trimEnd();
    this.#waiting = "";
    this.#sentAt = performance.now();
    if (text !== "") this.#send(text.toWellFormed());
  }
}
