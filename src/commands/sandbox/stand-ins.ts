import { constants, type Stats } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rmdir,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";

import { AppError, systemCodeOf } from "../../base/errors.ts";
import type { ProtectedName } from "./deeper-names.ts";

/** A protected name by its absolute path. */
export type KeptName = ProtectedName;

/** The lock of a file, by its descriptor: `flock(2)`. Neither waits. */
export interface FileLocks {
  /** Locks it together with others that do the same. */
  share(fd: number): boolean;
  /** True when nobody else holds it. */
  takeAlone(fd: number): boolean;
}

/**
 * The outcome: `there` means that something else exists; `impossible` means that nothing can be put there, which holds
 * for the command as well.
 */
export type Holding = "held" | "there" | "impossible";

/** This modification time marks a stand-in, also for another scorpiox-code process and after a crash. */
const markSeconds = 981_173_106;
/** A stand-in may be removed between the look and the lock, by its last user elsewhere, or not be marked yet. */
const holdMsMax = 3_000;
/** An empty file or folder of at most this age may be a stand-in that another process is making, on a busy machine. */
const makingMsMax = 500;
const makingRoundMs = 2;

interface Held {
  readonly name: KeptName;
  readonly handle: FileHandle;
  users: number;
}

/**
 * Empty files and folders at paths that must not come to exist: they can be mounted over. They
 * are removed with the last command that needs them, of all servers: each keeps a lock as long as it does.
 */
export class StandIns {
  readonly #locks: FileLocks;
  readonly #held = new Map<string, Held>();
  /** By path; each is waited for by the next one. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(locks: FileLocks) {
    this.#locks = locks;
  }

  /**
   * Ensures that `name.path` exists. The caller releases the holding.
   * @throws AppError `system` when others make and remove it all the time
   */
  hold(name: KeptName): Promise<Holding> {
    return this.#inTurn(name.path, () => this.#hold(name));
  }

  /** The descriptor of a held stand-in: a process that inherits it keeps the lock as long as it runs. */
  descriptorOf(path: string): number | undefined {
    return this.#held.get(path)?.handle.fd;
  }

  release(path: string): Promise<void> {
    return this.#inTurn(path, () => this.#release(path));
  }

  async #inTurn<T>(path: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(path) ?? Promise.resolve()).then(act);
    const turn = done.catch(() => undefined);
    this.#turns.set(path, turn);
    try {
      return await done;
    } finally {
      if (this.#turns.get(path) === turn) this.#turns.delete(path);
    }
  }

  async #hold(name: KeptName): Promise<Holding> {
    const known = this.#held.get(name.path);
    if (known !== undefined) {
      known.users++;
      return "held";
    }
    const deadline = performance.now() + holdMsMax;
    while (performance.now() < deadline) {
      const made = await make(name);
      if (made === "impossible") return made;
      if (made === "there") {
        const found = await whatIsAt(name);
        if (found === "other") return "there";
        if (found !== "stand-in") await Bun.sleep(makingRoundMs);
      }
      const handle = await this.#lock(name);
      if (handle === undefined) continue;
      this.#held.set(name.path, { name, handle, users: 1 });
      return "held";
    }
    throw new AppError(
      "system",
      `${name.path} keeps appearing and disappearing and cannot be protected. Nothing was run. Try again.`,
    );
  }

  /** Undefined when it is gone, or is not a stand-in. */
  async #lock({ path, text }: KeptName): Promise<FileHandle | undefined> {
    const handle = await openItself(path);
    if (handle === undefined) return undefined;
    const isOurs = this.#locks.share(handle.fd) && (await isAt(path, handle));
    if (isOurs && (await isStandIn(path, text))) return handle;
    await handle.close();
    return undefined;
  }

  async #release(path: string): Promise<void> {
    const held = this.#held.get(path);
    if (held === undefined || --held.users > 0) return;
    this.#held.delete(path);
    const { name, handle } = held;
    const isLast = this.#locks.takeAlone(handle.fd) && (await isAt(path, handle));
    // Another process may have filled it in the meantime: then it belongs to that process.
    if (isLast && (await isStandIn(path, name.text))) await remove(path);
    await handle.close();
  }
}

/** True for an entry that a scorpiox-code process made, this one, another one or an earlier one. */
export async function isStandIn(path: string, text?: string): Promise<boolean> {
  const stats = await lookAt(path);
  return stats !== undefined && isMarked(stats, text);
}

function isMarked(stats: Stats, text = ""): boolean {
  if (Math.floor(stats.mtimeMs / 1000) !== markSeconds) return false;
  return stats.isDirectory() || (stats.isFile() && stats.size === text.length);
}

/** One look: between two looks it may be removed, or made again. */
async function whatIsAt({ path, text }: KeptName): Promise<"stand-in" | "in making" | "other"> {
  const stats = await lookAt(path);
  if (stats === undefined) return "in making";
  if (isMarked(stats, text)) return "stand-in";
  const isYoung = Math.abs(Date.now() - stats.ctimeMs) <= makingMsMax;
  const isEmpty = stats.isDirectory() ? await isEmptyFolder(path) : stats.isFile();
  return isYoung && isEmpty ? "in making" : "other";
}

/** True also for a folder that is gone; false for one that cannot be read. */
export async function isEmptyFolder(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch (error) {
    return systemCodeOf(error) === "ENOENT";
  }
}

/** Private: `.scorpiox` may come into use in the meantime. */
async function make({ path, kind, text = "" }: KeptName): Promise<"made" | "there" | "impossible"> {
  try {
    if (kind === "folder") await mkdir(path, 0o700);
    else await writeFile(path, text, { flag: "wx", mode: 0o600 });
    await utimes(path, markSeconds, markSeconds);
    return "made";
  } catch (error) {
    return systemCodeOf(error) === "EEXIST" ? "there" : "impossible";
  }
}

async function remove(path: string): Promise<void> {
  const stats = await lookAt(path);
  // A folder that is not empty stays.
  await (stats?.isDirectory() === true ? rmdir(path) : unlink(path)).catch(() => undefined);
}

async function openItself(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

async function isAt(path: string, handle: FileHandle): Promise<boolean> {
  const [named, held] = [await lookAt(path), await handle.stat()];
  return named !== undefined && named.dev === held.dev && named.ino === held.ino;
}

async function lookAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch {
    return undefined;
  }
}
