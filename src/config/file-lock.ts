import { Database } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { fileLockMsMax } from "../base/upstream-limits.ts";

/**
 * Runs `work` while it holds the lock of `file` against other processes and other callers in this one: code that reads, changes
 * and replaces a file runs here. The lock is the file's name with `.lock` appended, which stays; the system releases it when
 * its holder dies.
 * @throws AppError `system` when the lock is not free within `fileLockMsMax`
 */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const lock = await takeLock(`${file}.lock`);
  try {
    return await work();
  } finally {
    // Ends the transaction, and with it the lock.
    lock.close();
  }
}

/** Whether somebody holds the lock of `file` at this moment. Waits for nothing, and makes no lock where there is none. */
export function isFileLocked(file: string): boolean {
  if (!existsSync(`${file}.lock`)) return false;
  try {
    tryToLock(`${file}.lock`).close();
    return false;
  } catch (error) {
    return isHeld(error);
  }
}

/** Between two tries; it varies, so that processes that wait for each other do not keep step. */
const retryMs = { min: 2, spread: 10 };

/** SQLite locks files alike on all systems, `fcntl` or `LockFileEx`; nothing is ever written to this database. */
async function takeLock(lockFile: string): Promise<Database> {
  const deadline = performance.now() + fileLockMsMax;
  for (;;) {
    try {
      return tryToLock(lockFile);
    } catch (error) {
      if (!isHeld(error) || performance.now() >= deadline) throw lockFault(lockFile, error);
    }
    await sleep(retryMs.min + Math.random() * retryMs.spread);
  }
}

function tryToLock(lockFile: string): Database {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o700 });
  makeLockFile(lockFile);
  const database = new Database(lockFile);
  try {
    database.run("PRAGMA busy_timeout = 0");
    database.run("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * SQLite would make it with all that the umask leaves, and a user who may open a lock can hold it forever. One that is there is
 * not opened: closing it would drop the lock that another caller in this process holds.
 */
function makeLockFile(lockFile: string): void {
  try {
    closeSync(openSync(lockFile, "wx", 0o600));
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
}

function isHeld(error: unknown): boolean {
  const code = systemCodeOf(error) ?? "";
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

function lockFault(lockFile: string, error: unknown): AppError {
  const text = isHeld(error)
    ? `is held by another process for more than ${fileLockMsMax / 1000} seconds. Try again when that process is done`
    : `cannot be taken: ${messageOf(error)}`;
  return new AppError("system", `The lock ${lockFile} ${text}.`, { cause: error });
}
