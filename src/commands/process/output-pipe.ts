import { closeSync, readSync } from "node:fs";

import { turnOfLoop } from "../../base/turns.ts";
import { FloodReader, FloodMeter } from "./flood-reader.ts";
import type { Libc } from "./libc.ts";

/**
 * Receives bytes in order, which are its own until it returns or the promise that it returns is kept: they are read over
 * then. A promise holds further reading back.
 */
export type OutputReceiver = (chunk: Uint8Array) => void | Promise<void>;

/**
 * Most commands end within this; their output is then read in one go from the pipe's buffer. A stream
 * from the start would cost two more wake-ups (0.1–0.3 ms of a 1.2 ms `echo`).
 */
const streamAfterMs = 3;
/** So many looks at the pipe of a flood find nothing, and the stream waits for more. */
const missesMax = 2;
/** A survivor that keeps writing after its command ended is heard this much longer: not less than a wide pipe holds. */
const drainBytesMax = 1024 * 1024;

/** The part of a stream reader that is used here; Bun's and Node's types of the rest differ. */
interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>;
  cancel(): Promise<void>;
}

/** False for a read that is fulfilled at once, which takes a few microtasks. */
async function isWaiting(read: Promise<unknown>): Promise<boolean> {
  for (let step = 0; step < 4; step++) await Promise.resolve();
  return Bun.peek.status(read) === "pending";
}

/** As much as a pipe usually holds. */
const lentBytes = 64 * 1024;
let idleBuffer: Uint8Array | undefined;

/** Lends the buffer that all pipes share, or a new one while another pipe has it. */
async function lend(use: (buffer: Uint8Array) => Promise<number>): Promise<number> {
  const buffer = idleBuffer ?? new Uint8Array(lentBytes);
  idleBuffer = undefined;
  const read = await use(buffer);
  idleBuffer = buffer;
  return read;
}

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
  #flood: FloodReader | undefined;
  #followed: Promise<void> | undefined;
  /** True while the stream has given all that it took from the pipe. */
  #waiting = false;
  /** The end of the pipe has been read, or it was closed. */
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
    this.#streamTimer = setTimeout(() => {
      this.#followed = this.#follow();
    }, streamAfterMs);
  }

  /**
   * Delivers the output that the command wrote before it ended, then closes. Does not wait for survivors that still
   * hold the write end.
   */
  async finish(): Promise<void> {
    this.#isFinished = true;
    clearTimeout(this.#streamTimer);
    if (this.#followed === undefined) {
      await lend((buffer) => this.#readBuffered(buffer));
      return this.#close();
    }
    this.#flood?.end();
    await Promise.race([this.#followed, this.#untilEmpty()]);
    await this.#reader?.cancel().catch(() => {});
    this.#close();
  }

  /** Waits for output with a stream, and reads a flood without. */
  async #follow(): Promise<void> {
    try {
      const waiting = await lend((buffer) => this.#readBuffered(buffer, 1));
      // A pipe that is full by now is that of a flood.
      if (waiting === lentBytes && !(await this.#readFlood())) return;
      while ((await this.#readStream()) && (await this.#readFlood()));
    } catch {
      // `finish` closed the pipe under the reader: everything that was read has been delivered.
    } finally {
      this.#isAtEnd = true;
    }
  }

  /**
   * Reads the stream up to a flood that it has nothing of at the moment. To close a stream loses what it has taken from the
   * pipe and not given yet; a read of such bytes is fulfilled at once, so that nothing is lost while one waits.
   * @returns true when a flood is to be read otherwise, false at the end
   */
  async #readStream(): Promise<boolean> {
    const reader: Reader = Bun.file(this.#readFd).stream().getReader();
    this.#reader = reader;
    const meter = new FloodMeter();
    for (let isFlood = false; ;) {
      const next = reader.read();
      const isLeft = isFlood && !this.#isFinished && (await isWaiting(next));
      if (isLeft) await reader.cancel();
      this.#waiting = !isLeft;
      const { value, done } = await next;
      this.#waiting = false;
      if (value !== undefined) {
        isFlood = meter.add(value.length);
        await this.#passOn(value);
      }
      if (isLeft || done || value === undefined) return isLeft;
    }
  }

  /** Delivers a chunk of the stream and frees its memory: tens of megabytes of chunks would wait for the collector. */
  async #passOn(chunk: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#deliver(chunk);
    if (chunk.length === chunk.buffer.byteLength) chunk.buffer.transfer(0);
  }

  async #deliver(chunk: Uint8Array): Promise<void> {
    this.#deliveredBytes += chunk.length;
    this.#delivery = this.#sink(chunk) ?? undefined;
    if (this.#delivery !== undefined) await this.#delivery;
    this.#delivery = undefined;
  }

  /** @returns true when nothing has come for a while, false at the end */
  async #readFlood(): Promise<boolean> {
    using flood = new FloodReader(this.#readFd);
    this.#flood = flood;
    try {
      for (let misses = 0; misses < missesMax && !this.#isFinished;) {
        const length = this.#libc.isReadable(this.#readFd)
          ? readSync(this.#readFd, flood.buffer)
          : undefined;
        if (length === 0) return false;
        misses = length === undefined ? misses + 1 : 0;
        if (length !== undefined) await this.#deliver(flood.buffer.subarray(0, length));
        if (flood.isWorthPause(length ?? 0)) await flood.pause();
        else await turnOfLoop();
      }
      if (this.#isFinished) await this.#readBuffered(flood.buffer);
      return !this.#isFinished;
    } finally {
      this.#flood = undefined;
    }
  }

  /**
   * Reads until the pipe is empty or at its end, without waiting.
   * @returns how many bytes, at most a buffer more than `bytesMax`
   */
  async #readBuffered(buffer: Uint8Array, bytesMax = drainBytesMax): Promise<number> {
    let total = 0;
    while (total < bytesMax && this.#libc.isReadable(this.#readFd)) {
      const length = readSync(this.#readFd, buffer);
      if (length === 0) break;
      total += length;
      await this.#deliver(buffer.subarray(0, length));
    }
    return total;
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
