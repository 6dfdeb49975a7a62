import { close, openSync, writeSync, writev } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";

import { formatAmount } from "../../base/cut-text.ts";
import { messageOf } from "../../base/errors.ts";
import { SavingRoom } from "./saving-room.ts";

/**
 * The first bytes of a file are written at once: they go to the memory of the system in some ten microseconds, where each
 * trip to another thread would delay the answer by several times that. Longer outputs are left to other threads.
 */
const writtenAtOnceMax = 256 * 1024;

/** Chunks that are written together, in their order. */
interface Batch {
  readonly chunks: Uint8Array[];
  bytes: number;
  readonly done: PromiseWithResolvers<void>;
}

/** A private file that takes the whole of an output while it is produced. */
export class SavedOutput {
  readonly path: string;
  readonly #fd: number;
  /** Chunks that come while others are written: they are written next, together. */
  #next: Batch | undefined;
  #writtenBytes = 0;
  #writing = false;
  #isClosed = false;
  readonly #room: SavingRoom;
  readonly #onSaved: ((bytes: number) => void) | undefined;
  #takenBytes = 0;
  #hasLeft = false;
  #problem: string | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  /**
   * @param room shared with the other outputs that are being saved in this folder
   * @param onSaved called once with the size of the file, when the output is complete
   * @throws the system's error when the file cannot be made. An existing file is never reused.
   */
  constructor(
    path: string,
    room: SavingRoom = new SavingRoom(dirname(path)),
    onSaved?: (bytes: number) => void,
  ) {
    this.path = path;
    this.#room = room;
    this.#onSaved = onSaved;
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

  /** Takes a chunk, which must not change until the returned promise, if any, is kept: it is written then, or given up. */
  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#problem !== undefined || this.#isClosed) return;
    if (!this.#writing && this.#takenBytes + chunk.length <= writtenAtOnceMax) {
      return this.#writeNow(chunk);
    }
    this.#next ??= { chunks: [], bytes: 0, done: Promise.withResolvers() };
    const { chunks, done } = this.#next;
    chunks.push(chunk);
    this.#next.bytes += chunk.length;
    if (!this.#writing) this.#writeNext();
    return done.promise;
  }

  /** Waits until all is in the file, where every program can read it, and closes it. Idempotent. */
  async finish(): Promise<void> {
    if (this.#writing) {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
    if (this.#isClosed) return;
    // A command that was given up may still write: its descriptor is somebody else's soon.
    this.#isClosed = true;
    close(this.#fd, () => {});
    this.#leaveRoom();
  }

  /** Removes a finished file: its content was short enough to be shown whole. */
  async remove(): Promise<void> {
    await unlink(this.path).catch(() => {});
  }

  #writeNow(chunk: Uint8Array): void {
    if (this.#isFull(chunk.length)) return;
    try {
      for (let from = 0; from < chunk.length;) {
        const length = writeSync(this.#fd, chunk, from);
        this.#writtenBytes += length;
        from += length;
      }
    } catch (error) {
      this.#giveUp(messageOf(error));
    }
    this.#room.settle(chunk.length);
  }

  #writeNext(): void {
    const batch = this.#next;
    this.#next = undefined;
    this.#writing =
      batch !== undefined && this.#problem === undefined && !this.#isFull(batch.bytes);
    if (batch !== undefined && this.#writing) return this.#writeAll(batch, batch.chunks);
    batch?.done.resolve();
    this.#idle?.resolve();
  }

  /** Writes the chunks as they are: one copy of them all would double the memory that waits for the disk. */
  #writeAll(batch: Batch, chunks: readonly Uint8Array[]): void {
    writev(this.#fd, chunks.slice(0, chunksAtOnceMax), (error, length) => {
      this.#writtenBytes += error === null ? length : 0;
      const left = error === null ? behind(chunks, length) : [];
      if (error !== null) this.#giveUp(messageOf(error));
      else if (left.length > 0) return this.#writeAll(batch, left);
      this.#room.settle(batch.bytes);
      batch.done.resolve();
      this.#writeNext();
    });
  }

  #isFull(bytes: number): boolean {
    const why = this.#room.take(bytes);
    if (why === undefined) this.#takenBytes += bytes;
    else
      this.#giveUp(`only its first ${formatAmount(this.#writtenBytes, "byte")} were kept: ${why}`);
    return why !== undefined;
  }

  /** A command that prints on for hours keeps no room from others once its file takes nothing more. */
  #giveUp(problem: string): void {
    this.#problem ??= problem;
    this.#leaveRoom();
  }

  #leaveRoom(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#room.giveBack(this.#takenBytes);
    this.#onSaved?.(this.#writtenBytes);
  }
}

/** Linux takes 1,024 pieces in one write. */
const chunksAtOnceMax = 1_000;

/** The part of `chunks` behind their first `bytes`. */
function behind(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let from = bytes;
  const left: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (from < chunk.length) left.push(chunk.subarray(from));
    from = Math.max(0, from - chunk.length);
  }
  return left;
}
