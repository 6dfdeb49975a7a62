import { type Pointer, ptr, toArrayBuffer } from "bun:ffi";
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

import { randomHex } from "../../base/digests.ts";
import { openLinuxLibrary } from "../../base/linux-library.ts";
import type { KeptProcess } from "./machine.ts";
import { writeJson } from "./task-record.ts";

/** How far a client has read, and which process it was. */
export interface Cursor {
  readonly to: number;
  readonly client: KeptProcess;
  /** The reply with the output up to `to` is on its way out: it has stopped at `from` unless the note says that this was sent. */
  readonly sending?: { readonly from: number; readonly note: string };
}

/** Where a client has stopped. */
export function placeIn(folder: string, { to, sending }: Cursor): number {
  return sending === undefined || isSent(join(folder, sending.note)) ? to : sending.from;
}

/** The move of a client's place with a reply. Its methods throw system errors. */
export class CursorMove {
  readonly #folder: string;
  readonly #key: string;
  readonly #cursor: Cursor;
  readonly #before: Cursor | undefined;
  #note: SentNote | undefined;

  /** @param from where the client stops if the reply does not go out */
  constructor(
    folder: string,
    key: string,
    { cursor, before, from }: { cursor: Cursor; before: Cursor | undefined; from: number },
  ) {
    this.#folder = folder;
    this.#key = key;
    this.#cursor = cursor;
    this.#before = before;
    const name = `.${key}.${randomHex(4)}.sent`;
    this.#note = SentNote.make(join(folder, name));
    if (this.#note === undefined) return;
    writeJson(folder, key, { ...cursor, sending: { from, note: name } });
  }

  /** @see ReplyRecord.writeTo */
  write(pipe: number, text: string): Uint8Array | undefined {
    return this.#note?.write(pipe, text);
  }

  /** The reply goes out next. */
  make(): void {
    if (this.#note === undefined) writeJson(this.#folder, this.#key, this.#cursor);
    else this.#note.say(true);
  }

  /** The reply is out. */
  confirm(): void {
    writeJson(this.#folder, this.#key, this.#cursor);
    this.#endNote();
  }

  /** It is not out yet. */
  takeBack(): void {
    if (this.#note === undefined) this.#restore();
    else this.#note.say(false);
  }

  /** It never will be. */
  drop(): void {
    this.#restore();
    this.#endNote();
  }

  #restore(): void {
    const { to, client } = this.#before ?? {};
    // One that is on its way out itself goes out before this one would have.
    if (to !== undefined) writeJson(this.#folder, this.#key, { to, client });
    else rmSync(join(this.#folder, this.#key), { force: true });
  }

  #endNote(): void {
    this.#note?.[Symbol.dispose]();
    this.#note = undefined;
  }
}

const calls = {
  sendfile: { args: ["i32", "i32", "ptr", "u64"], returns: "i64" },
  memfd_create: { args: ["ptr", "u32"], returns: "i32" },
  mmap: { args: ["ptr", "u64", "i32", "i32", "i32", "i64"], returns: "ptr" },
  munmap: { args: ["ptr", "u64"], returns: "i32" },
  ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
} as const;

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const MFD_CLOEXEC = 1;
const FIONREAD = 0x541b;
const F_GETPIPE_SZ = 1032;
const pageBytes = 4096;
/** Two numbers: bytes that the pipe has taken, and bytes of the reply; 0: it is not known yet. */
const noteBytes = 16;

let library: ReturnType<typeof openLinuxLibrary<typeof calls>> | undefined;

/**
 * A small file that says whether a reply has gone out, whenever this process is killed: the system call that fills the pipe writes
 * into it how much the pipe has taken (Linux only).
 */
class SentNote implements Disposable {
  readonly #path: string;
  readonly #address: Pointer;
  readonly #numbers: BigUint64Array;
  #isOpen = true;

  /** Makes the file. Undefined where the system cannot do that. @throws a system error */
  static make(path: string): SentNote | undefined {
    if (process.platform !== "linux") return undefined;
    library ??= openLinuxLibrary(calls);
    const fd = openSync(path, "wx+", 0o600);
    try {
      ftruncateSync(fd, noteBytes);
      const address = library.mmap(null, noteBytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
      // On a file system without shared memory mmap returns no address.
      if (typeof address === "number" && address % pageBytes === 0) {
        return new SentNote(path, address);
      }
      rmSync(path, { force: true });
      return undefined;
    } finally {
      closeSync(fd);
    }
  }

  private constructor(path: string, address: Pointer) {
    this.#path = path;
    this.#address = address;
    this.#numbers = new BigUint64Array(toArrayBuffer(address, 0, noteBytes));
  }

  /**
   * Writes a reply to an empty pipe, in one system call that notes how much the pipe has taken. Undefined where that is not possible,
   * or could hold up this thread. @returns the bytes that the pipe has not taken
   */
  write(pipe: number, text: string): Uint8Array | undefined {
    const bytes = Buffer.from(text);
    if (!this.#isOpen || library === undefined || !hasRoom(pipe, bytes.length)) return undefined;
    const source = library.memfd_create(ptr(sourceName), MFD_CLOEXEC);
    if (source < 0) return undefined;
    try {
      if (writeSync(source, bytes) !== bytes.length) return undefined;
      this.#set(0, bytes.length);
      const taken = Number(library.sendfile(pipe, source, this.#address, bytes.length));
      return taken < 0 ? undefined : bytes.subarray(taken);
    } finally {
      closeSync(source);
    }
  }

  /** Says for a way of writing that notes nothing whether the reply is out. */
  say(isSent: boolean): void {
    if (this.#isOpen) this.#set(isSent ? 1 : 0, 1);
  }

  /** Nobody needs it any more. Idempotent. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    library?.munmap(this.#address, noteBytes);
    rmSync(this.#path, { force: true });
  }

  #set(taken: number, of: number): void {
    this.#numbers[0] = BigInt(taken);
    this.#numbers[1] = BigInt(of);
  }
}

const sourceName = Buffer.from("reply\0");

/** Whether the pipe is empty and takes so much at once. */
function hasRoom(pipe: number, bytes: number): boolean {
  if (library === undefined || !fstatSync(pipe).isFIFO()) return false;
  const waiting = new Int32Array(1);
  if (library.ioctl(pipe, FIONREAD, ptr(waiting)) !== 0 || waiting[0] !== 0) return false;
  // Each page takes a place of the pipe, also one that is used in part.
  return bytes + 2 * pageBytes <= library.fcntl(pipe, F_GETPIPE_SZ, 0);
}

/** Whether the reply of a note has gone out whole. */
function isSent(path: string): boolean {
  try {
    const bytes = readFileSync(path);
    const of = bytes.readBigUInt64LE(8);
    return of > 0n && bytes.readBigUInt64LE(0) >= of;
  } catch {
    return false;
  }
}
