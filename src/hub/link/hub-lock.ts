import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";

import { messageOf } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import { loadLibc } from "../../commands/process/libc.ts";
import { HubFault, type HubPlace } from "./hub-place.ts";
import { factsOf, type ProcessFacts } from "./process-facts.ts";

/** The holder of a hub's lock, in its own words. */
export interface HubRecord extends Pick<ProcessFacts, "pid" | "start" | "program"> {
  /** One more than that of the hub before. */
  readonly generation: number;
  readonly startedAt: number;
  readonly version: string;
  /** Where it listens; absent: it does not yet, or not any more. */
  readonly socket?: string;
}

/** A lock of a file that ends with its holder, however that ends. */
export class FileLock implements Disposable {
  readonly #path: string;
  /** Undefined once it was given back: its number may belong to another file then. */
  #fd: number | undefined;

  /**
   * Undefined when somebody else holds it.
   * @throws HubFault when there is no such lock here
   */
  static take(path: string): FileLock | undefined {
    const libc = loadLibc();
    if (libc === undefined) throw new HubFault("this system has no usable C library");
    const fd = open(path);
    if (libc.lockFile(fd, true)) {
      const lock = new FileLock(path, fd);
      // Between opening and locking, another file may have been put in its place.
      if (lock.isInPlace()) return lock;
    }
    closeSync(fd);
    return undefined;
  }

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  /** False when somebody has replaced the file: another holds the lock of that name then. */
  isInPlace(): boolean {
    if (this.#fd === undefined) return false;
    const own = fstatSync(this.#fd, { bigint: true });
    const named = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return named?.ino === own.ino && named.dev === own.dev;
  }

  /** Replaces the content: in one write, so that a reader has the old one, the new one, or none. */
  write(text: string): void {
    if (this.#fd === undefined) return;
    const bytes = Buffer.from(text);
    const written = writeSync(this.#fd, bytes, 0, bytes.length, 0);
    if (written < bytes.length)
      throw new HubFault(`${this.#path} cannot be written: the disk is full`);
    ftruncateSync(this.#fd, bytes.length);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Read and write, made if it is not there, and never through a link. */
const openFlags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

function open(path: string): number {
  try {
    return openSync(path, openFlags, 0o600);
  } catch (error) {
    throw new HubFault(`the lock ${path} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether somebody holds the lock of that file. Only a test: it may be free, or held, a moment later. */
export function isHeld(path: string): boolean {
  const lock = FileLock.take(path);
  lock?.[Symbol.dispose]();
  return lock === undefined;
}

/** The lock of a hub, with its record. */
export class HubLock implements Disposable {
  readonly #lock: FileLock;
  readonly #place: HubPlace;
  #record: HubRecord;

  /**
   * Takes the lock of the place for this process, as the next generation. Undefined when a hub holds it.
   * @throws HubFault when it cannot be taken or written
   */
  static take(place: HubPlace, version: string): HubLock | undefined {
    const own = factsOf(process.pid);
    if (own === undefined) throw new HubFault("the system does not say which process this is");
    const lock = FileLock.take(place.lockFile);
    if (lock === undefined) return undefined;
    const { pid, start, program } = own;
    const generation = (readRecord(place)?.generation ?? 0) + 1;
    const record = { generation, pid, start, program, startedAt: Date.now(), version };
    try {
      return new HubLock(place, lock, record);
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(place: HubPlace, lock: FileLock, record: HubRecord) {
    this.#place = place;
    this.#lock = lock;
    this.#record = record;
    this.#write(record);
  }

  get record(): HubRecord {
    return this.#record;
  }

  /** Says where the hub listens; undefined: nowhere any more. */
  tell(socket: string | undefined): void {
    const { socket: _, ...record } = this.#record;
    this.#write(socket === undefined ? record : { ...record, socket });
  }

  /** Shows that its holder is alive. */
  touch(): void {
    this.#write(this.#record);
  }

  /** False for a hub that was given up while it slept: another has taken over. */
  holds(): boolean {
    return (
      this.#lock.isInPlace() && readRecord(this.#place)?.generation === this.#record.generation
    );
  }

  /** The next one may begin. */
  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
  }

  #write(record: HubRecord): void {
    this.#lock.write(JSON.stringify(record));
    this.#record = record;
  }
}

/** Far more than a record has. */
const recordCharsMax = 4096;

/** The record of the hub that holds the lock, or held it last; undefined when there was none, or it is just being written. */
export function readRecord(place: Pick<HubPlace, "lockFile">): HubRecord | undefined {
  try {
    const text = readFileSync(place.lockFile, "utf8");
    if (text.length > recordCharsMax) return undefined;
    const value: unknown = JSON.parse(text);
    return isObject(value) ? recordOf(value) : undefined;
  } catch {
    return undefined;
  }
}

function recordOf(value: Readonly<Record<string, unknown>>): HubRecord | undefined {
  const { pid, start, program, generation, startedAt, version, socket } = value;
  if (!isWhole(pid) || !isWhole(generation) || !isWhole(startedAt)) return undefined;
  if (typeof start !== "string" || typeof program !== "string") return undefined;
  if (typeof version !== "string") return undefined;
  const record = { pid, start, program, generation, startedAt, version };
  return typeof socket === "string" ? { ...record, socket } : record;
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** Leaves a hub that cannot be ended a lock that nobody looks at any more: another file, with the same record, takes its place. */
export function abandonLock({ lockFile }: HubPlace, record: HubRecord): void {
  const draft = `${lockFile}.new`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  renameSync(draft, lockFile);
}
