import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { AppError } from "../../../base/errors.ts";
import { sessionFolderAgeMsMax } from "../../../base/limits.ts";
import { faultOfOwner } from "./who-may-write.ts";

/** The log in such a folder. */
export const hookLogName = "hooks.log";

const idPattern = /^[0-9a-f]{24}$/;

/**
 * The id of a client's session as hooks get it: the same for all hooks of a client, another one for each run of the
 * server, and nothing that a request could be made with.
 */
export function sessionIdOf(instanceId: string, clientId: string): string {
  return createHash("sha256").update(`${instanceId}\n${clientId}`).digest("hex").slice(0, 24);
}

/**
 * How hooks are told which client it is. The id of a session over HTTP is what requests are made with, and a command
 * line is seen by all users of the machine.
 */
export function clientNameOf(clientId: string): string {
  if (!clientId.startsWith("session:")) return clientId;
  return `session:${createHash("sha256").update(clientId).digest("hex").slice(0, 16)}`;
}

/** Private folders for what hooks leave and need, one for each session; made when they are first needed. */
export class SessionFolders {
  readonly #dirs: readonly string[];
  #usable: Promise<string> | undefined;

  /** @param dirs where they may be, the best place first */
  constructor(dirs: readonly string[]) {
    this.#dirs = dirs;
  }

  /** Absolute path. @throws AppError `system` when there is no place for it */
  async of(sessionId: string): Promise<string> {
    this.#usable ??= this.#choose();
    const path = join(await this.#usable, sessionId);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  async #choose(): Promise<string> {
    for (const dir of this.#dirs) {
      if (await isPrivateFolder(dir)) {
        void sweep(dir);
        return dir;
      }
    }
    this.#usable = undefined;
    const places = this.#dirs.join(" and ");
    throw new AppError("system", `No private folder can be made in ${places}: hooks need one.`);
  }
}

/** The second place is in a folder that others may write to: what they put there is not used. */
async function isPrivateFolder(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const stats = await lstat(dir);
    const isPrivate = process.platform === "win32" || (stats.mode & 0o022) === 0;
    return stats.isDirectory() && isPrivate && faultOfOwner(stats) === undefined;
  } catch {
    return false;
  }
}

/** When its log was written to, or the folder itself: a log that grows does not change its folder. */
async function lastUse(folder: string): Promise<number> {
  const paths = [folder, join(folder, hookLogName)];
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return Math.max(...stats.map((each) => each?.mtimeMs ?? 0));
}

/** Removes the folders of sessions that nobody has written to for long. */
async function sweep(dir: string): Promise<void> {
  const oldest = Date.now() - sessionFolderAgeMsMax;
  try {
    for (const name of await readdir(dir)) {
      const path = join(dir, name);
      if (!idPattern.test(name) || (await lastUse(path)) >= oldest) continue;
      await rm(path, { recursive: true, force: true });
    }
  } catch {
    // Another server sweeps too: what is left is swept the next time.
  }
}
