import { closeSync, readSync } from "node:fs";

import { turnOfLoop } from "../../base/turn-of-loop.ts";
import type { Libc } from "./libc.ts";

/** Receives bytes in order. A returned promise holds further reading back. */
export type OutputReceiver = (chunk: Uint8Array) => void | Promise<void>;

/**
 * Most commands end within this; their output is then read in one go from the pipe's buffer. A stream
 * from the start would cost two more wake-ups (0.1–0.3 ms of a 1.2 ms `echo`).
 */
const streamAfterMs = 3;
const readChunkBytes = 64 * 1024;
/** A survivor that keeps writing after its command ended is heard this much longer. */
const drainBytesMax = 1024 * 1024;

/** The part of a stream reader that is used here; Bun's and Node's types of the rest differ. */
interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

let sharedBuffer: Uint8Array | undefined;

/**
 * The read end of the one pipe that a command's stdout and stderr share, so that their order is kept.
 * A real pipe and not a socket pair: `echo x > /dev/stdout` fails on a socket.
 */
export class OutputPipe {
  readonly #libc: Libc;
  readonly #readFd: number;
  readonly #sink: OutputReceiver;
  #streamTimer: ReturnType<typeof setTimeout> | undefined;
  #reader: Reader | undefined;
  #streamEnded: Promise<void> | undefined;
  /** True while the stream has given all that it took from the pipe. */
  #waiting = false;
  /** The stream has come to the end of the pipe, or was closed. */
  #isAtEnd = false;
  #isFinished = false;
  /** The chunk that the sink has not finished with. */
  #delivery: Promise<void> | undefined;
  #deliveredBytes = 0;

  constructor(libc: Libc, readFd: number, sink: OutputReceiver) {
    this.#libc = libc;
    this.#readFd = readFd;
    this.#sink = sink;
  }

  /** The command runs from now on: its output is delivered. */
  start(): void {
    // A pipe that ended before its start is closed, and its descriptor may have been reused.
    if (this.#isFinished) return;
    this.#streamTimer = setTimeout(() => this.#stream(), streamAfterMs);
  }

  /**
   * Delivers the output that the command wrote before it ended, then closes. Does not wait for survivors that still
   * hold the write end.
   */
  async finish(): Promise<void> {
    this.#isFinished = true;
    clearTimeout(this.#streamTimer);
    if (this.#streamEnded === undefined) {
      await this.#readBuffered();
      return this.#close();
    }
    await Promise.race([this.#streamEnded, this.#untilEmpty()]);
    await this.#reader?.cancel().catch(() => {});
    this.#close();
  }

  /** Reads until the pipe is empty or at its end, without waiting. */
  async #readBuffered(): Promise<void> {
    let total = 0;
    while (total < drainBytesMax && this.#libc.isReadable(this.#readFd)) {
      sharedBuffer ??= new Uint8Array(readChunkBytes);
      const length = readSync(this.#readFd, sharedBuffer);
      if (length <= 0) return;
      total += length;
      const accepted = this.#sink(sharedBuffer.slice(0, length));
      if (accepted !== undefined) await accepted;
    }
  }

  #stream(): void {
    const reader = Bun.file(this.#readFd).stream().getReader();
    this.#reader = reader;
    this.#streamEnded = this.#pump(reader);
  }

  async #pump(reader: Reader): Promise<void> {
    try {
      for (;;) {
        this.#waiting = true;
        const { value, done } = await reader.read();
        this.#waiting = false;
        if (done || value === undefined) return;
        this.#deliveredBytes += value.length;
        this.#delivery = this.#sink(value) ?? undefined;
        if (this.#delivery !== undefined) await this.#delivery;
        this.#delivery = undefined;
      }
    } catch {
      // `finish` closed the pipe under the reader: everything that was read has been delivered.
    } finally {
      this.#isAtEnd = true;
    }
  }

  /**
   * Resolves when the pipe has been seen empty, nothing is being delivered, and the loop has turned since: the bytes
   * that the stream had taken from the pipe were delivered in that turn. A sink that takes its time is waited for;
   * survivors that go on writing are not. At the end of the stream nobody waits for this any more.
   */
  async #untilEmpty(): Promise<void> {
    const bytesMax = this.#deliveredBytes + 2 * drainBytesMax;
    for (let turn = 0, empty = 0; empty < 2 && turn < 10_000 && !this.#isAtEnd; turn++) {
      if (this.#deliveredBytes > bytesMax) return;
      await this.#delivery;
      const idle = this.#waiting && !this.#libc.isReadable(this.#readFd);
      empty = idle ? empty + 1 : 0;
      await turnOfLoop();
    }
  }

  #close(): void {
    try {
      closeSync(this.#readFd);
    } catch {
      // Closed already.
    }
  }
}
