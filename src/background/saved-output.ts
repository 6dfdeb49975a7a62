import { close, openSync, write } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename } from "node:path";

import { messageOf } from "../base/errors.ts";
import { outputQueueBytesMax, savedResultsBytesMax } from "../base/limits.ts";

/** A private file that takes the whole of an output while it is produced. */
export class SavedOutput {
  readonly path: string;
  readonly #fd: number;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #writtenBytes = 0;
  #writing = false;
  #isClosed = false;
  readonly #onClosed: ((bytes: number) => void) | undefined;
  #problem: string | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  /** @throws the system's error when the file cannot be made. An existing file is never reused. */
  constructor(path: string, onClosed?: (bytes: number) => void) {
    this.path = path;
    this.#onClosed = onClosed;
    this.#fd = openSync(path, "wx", 0o600);
  }

  /** The name of the file, without `.txt`. */
  get id(): string {
    return basename(this.path, ".txt");
  }

  /** Bytes that are in the file. */
  get bytes(): number {
    return this.#writtenBytes;
  }

  /** Why the file does not hold everything, or undefined when it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Takes a chunk; the returned promise, if any, asks the producer to wait for the disk. */
  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#problem !== undefined || this.#isClosed) return;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (!this.#writing) this.#writeNext();
    if (this.#queuedBytes <= outputQueueBytesMax) return;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Waits for the disk and closes the file. */
  async finish(): Promise<void> {
    if (this.#writing) {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
    // A command that was given up may still write: its descriptor is somebody else's soon.
    this.#isClosed = true;
    await new Promise<void>((resolve) => close(this.#fd, () => resolve()));
    this.#onClosed?.(this.#writtenBytes);
  }

  /** Removes a finished file: its content was short enough to be shown whole. */
  async remove(): Promise<void> {
    await unlink(this.path).catch(() => {});
  }

  #writeNext(): void {
    const batch = this.#queue.length === 1 ? this.#queue[0] : Buffer.concat(this.#queue);
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#room?.resolve();
    this.#room = undefined;
    if (batch === undefined || this.#problem !== undefined || this.#isFull(batch)) {
      this.#writing = false;
      return this.#idle?.resolve();
    }
    this.#writing = true;
    this.#writeAll(batch, 0);
  }

  #writeAll(batch: Uint8Array, from: number): void {
    write(this.#fd, batch, from, batch.length - from, null, (error, length) => {
      if (error !== null) this.#problem ??= messageOf(error);
      else if (from + length < batch.length) return this.#writeAll(batch, from + length);
      this.#writtenBytes += batch.length;
      if (this.#queue.length > 0 && this.#problem === undefined) return this.#writeNext();
      this.#queue = [];
      this.#writing = false;
      this.#room?.resolve();
      this.#idle?.resolve();
    });
  }

  #isFull(batch: Uint8Array): boolean {
    if (this.#writtenBytes + batch.length <= savedResultsBytesMax) return false;
    const mib = Math.floor(savedResultsBytesMax / 1024 / 1024);
    this.#problem = `only the first ${mib} MiB were kept`;
    return true;
  }
}
