import { closeSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";

import { systemCodeOf } from "../../base/errors.ts";
import { type FileIdentity, identityOf } from "./file-identity.ts";

/**
 * Moves a database with its side files to another name, where a person can look at it, if it is still the one that was
 * found damaged: another process may have found the same and started a new file, which must stay. Returns the new path;
 * undefined when nothing was moved.
 * @throws the system's error when it cannot be moved
 */
export function setAside(path: string, damaged: FileIdentity): string | undefined {
  const lock = `${path}.moving`;
  takeLock(lock);
  try {
    if (identityOf(path) !== damaged) return undefined;
    const aside = `${path}.damaged-${Date.now()}-${process.pid}`;
    for (const suffix of ["-wal", "-shm", ""]) moveIfThere(path + suffix, aside + suffix);
    return aside;
  } finally {
    rmSync(lock, { force: true });
  }
}

const lockRetryMs = 5;
/** Three names are moved in less than a millisecond: a lock this old was left by a process that is gone. */
const lockAgeMsMax = 2_000;

/** One process at a time looks and moves; nobody makes a new file before the old one is moved. */
function takeLock(lock: string): void {
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return;
    } catch (error) {
      if (systemCodeOf(error) !== "EEXIST") throw error;
      if (ageMsOf(lock) > lockAgeMsMax) rmSync(lock, { force: true });
      else Bun.sleepSync(lockRetryMs);
    }
  }
}

/** 0 for one that is gone; a clock that was set back makes it old immediately. */
function ageMsOf(lock: string): number {
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  return stats === undefined ? 0 : Math.abs(Date.now() - stats.mtimeMs);
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
  }
}
