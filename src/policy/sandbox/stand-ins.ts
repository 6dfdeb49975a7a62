import { constants, type Stats } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  rmdir,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";

import type { KeptName } from "./shield.ts";

/** The lock of a file, by its descriptor: `flock(2)`. Neither waits. */
export interface FileLocks {
  /** Together with others who do the same. */
  share(fd: number): boolean;
  /** True when nobody else holds it. */
  takeAlone(fd: number): boolean;
}

/**
 * What came of it: `there` is something else that exists by now; `impossible` means that nothing can be put there,
 * which holds for the command as well.
 */
export type Holding = "held" | "there" | "impossible";

/** By this modification time a stand-in is known for one, also to another server and after a crash. */
const markSeconds = 981_173_106;
/** A stand-in may be removed between the look and the lock, by its last user elsewhere. */
const triesMax = 5;

interface Held {
  readonly name: KeptName;
  readonly handle: FileHandle;
  users: number;
}

/**
 * Empty files and folders in the place of what must not come to exist: over them a mount can be put. They
 * are removed with the last command that needs them, of all servers: each keeps a lock as long as it does.
 */
export class StandIns {
  readonly #locks: FileLocks;
  readonly #held = new Map<string, Held>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(locks: FileLocks) {
    this.#locks = locks;
  }

  /** Sees to it that there is something at `name.path`. What is held has to be released. */
  hold(name: KeptName): Promise<Holding> {
    return this.#inTurn(() => this.#hold(name));
  }

  release(path: string): Promise<void> {
    return this.#inTurn(() => this.#release(path));
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #hold(name: KeptName): Promise<Holding> {
    const known = this.#held.get(name.path);
    if (known !== undefined) {
      known.users++;
      return "held";
    }
    for (let tries = 0; tries < triesMax; tries++) {
      if (!(await make(name)) && !(await isStandIn(name.path, name.text))) {
        return (await lookAt(name.path)) === undefined ? "impossible" : "there";
      }
      const handle = await this.#lock(name.path);
      if (handle === undefined) continue;
      this.#held.set(name.path, { name, handle, users: 1 });
      return "held";
    }
    return "there";
  }

  async #lock(path: string): Promise<FileHandle | undefined> {
    const handle = await openItself(path);
    if (handle === undefined) return undefined;
    if (this.#locks.share(handle.fd) && (await isAt(path, handle))) return handle;
    await handle.close();
    return undefined;
  }

  async #release(path: string): Promise<void> {
    const held = this.#held.get(path);
    if (held === undefined || --held.users > 0) return;
    this.#held.delete(path);
    const { name, handle } = held;
    const isLast = this.#locks.takeAlone(handle.fd) && (await isAt(path, handle));
    // Somebody may have filled it meanwhile: then it is theirs.
    if (isLast && (await isStandIn(path, name.text))) await remove(path);
    await handle.close();
  }
}

/** True for what a server put there, be it another one or an earlier one. */
export async function isStandIn(path: string, text = ""): Promise<boolean> {
  const stats = await lookAt(path);
  if (stats === undefined || Math.floor(stats.mtimeMs / 1000) !== markSeconds) return false;
  return stats.isDirectory() || (stats.isFile() && stats.size === text.length);
}

/** False when there is something already, or nothing can be made. Private: `.scorpiox` may come to be used meanwhile. */
async function make({ path, kind, text = "" }: KeptName): Promise<boolean> {
  try {
    if (kind === "folder") await mkdir(path, 0o700);
    else await writeFile(path, text, { flag: "wx", mode: 0o600 });
    await utimes(path, markSeconds, markSeconds);
    return true;
  } catch {
    return false;
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
