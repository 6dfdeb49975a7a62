import { Database } from "bun:sqlite";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { storeFileName } from "../../base/own-files.ts";
import { type FileIdentity, identityOf } from "./look-file.ts";
import { migrate } from "./migrate.ts";
import { isBusy, isDamage, storeError } from "./store-errors.ts";

export interface StoreOptions {
  /** How long a write waits for another process, in ms. */
  readonly busyMsMax: number;
  /** `full` survives a power cut; `normal` only the end of a process. */
  readonly synchronous: "full" | "normal";
  /** Called when a damaged file was set aside. */
  readonly warn: (message: string) => void;
  /** Reads the whole file to find damage that its first page does not show. */
  readonly isChecked?: boolean;
}

/**
 * Opens the SQLite file, makes it (0600) when it is not there, and brings its schema up to date. A file that is not a
 * database is set aside, not overwritten.
 * @throws AppError `system` when the file cannot be used: read-only, full disk, made by a newer version
 */
export function openStore(path: string, options: StoreOptions): Database {
  const before = identityOf(path);
  try {
    return openAndMigrate(path, options);
  } catch (error) {
    if (!isDamage(error)) throw storeError(path, error);
    try {
      setAsideAloud(path, before, error, options);
      return openAndMigrate(path, options);
    } catch (second) {
      throw storeError(path, second);
    }
  }
}

/**
 * Moves the file that was found damaged away and says so, unless another process has done so.
 * @throws the system's error when it cannot be moved
 */
export function setAsideAloud(
  path: string,
  damaged: FileIdentity,
  damage: unknown,
  { warn }: Pick<StoreOptions, "warn">,
): void {
  const aside = setAside(path, damaged);
  const fact = `${path} is damaged (${messageOf(damage)})`;
  warn(
    aside === undefined
      ? `${fact}; it has already been set aside in the same folder.`
      : `${fact}; it was set aside as ${aside}.`,
  );
}

function openAndMigrate(path: string, options: StoreOptions): Database {
  const database = openFile(path);
  try {
    database.run(`PRAGMA busy_timeout = ${options.busyMsMax}`);
    switchToWal(database, options.busyMsMax);
    database.run(`PRAGMA synchronous = ${options.synchronous}`);
    if (options.synchronous === "full") syncThroughTheDrive(database);
    database.run("PRAGMA foreign_keys = ON");
    if (options.isChecked === true) assertSound(database);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const openAttemptsMax = 10;

/**
 * Opens the file, which another process may set aside at any moment: then a new one is made. SQLite itself must not
 * make it, because it would be readable for others.
 * @throws the system's error, or SQLite's
 */
function openFile(path: string): Database {
  for (let attempt = 1; ; attempt++) {
    try {
      makeStoreFile(path);
      return new Database(path, { strict: true, readwrite: true, create: false });
    } catch (error) {
      if (attempt === openAttemptsMax || !isMissing(error)) throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "SQLITE_CANTOPEN";
}

/** On macOS an fsync stops at the drive's own memory; these settings make it reach the disk. No other system reads them. */
function syncThroughTheDrive(database: Database): void {
  database.run("PRAGMA fullfsync = 1");
  database.run("PRAGMA checkpoint_fullfsync = 1");
}

/** How soon a switch that met another process is tried again. */
const walRetryMs = 5;

/**
 * The switch of a new file needs it alone, and SQLite does not wait for that as it waits for a write: of several
 * processes that create the same file at the same time, all but one would be refused.
 */
function switchToWal(database: Database, busyMsMax: number): void {
  const deadline = performance.now() + busyMsMax;
  for (;;) {
    try {
      database.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Bun.sleepSync(walRetryMs);
    }
  }
}

function assertSound(database: Database): void {
  const row = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
  if (row?.quick_check === "ok") return;
  throw Object.assign(new Error(row?.quick_check), { code: "SQLITE_CORRUPT" });
}

const privateMode = 0o600;

/**
 * Makes the file (0600) and its folder (0700) when they are not there, and takes the rights of others from a file
 * that has them. SQLite gives its side files the mode of the main file.
 * @throws the system's error
 */
function makeStoreFile(path: string): void {
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    // A file that is there is not opened: closing it would drop the locks that SQLite holds on it for this process.
    closeSync(openSync(path, "wx", privateMode));
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
    withdrawRights(path);
    return;
  }
  syncFolder(folder);
  if (firstMade !== undefined) syncFolder(dirname(firstMade));
}

function withdrawRights(path: string): void {
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, privateMode);
  } catch {
    // Somebody else's file: whether it can be used is found out by using it.
  }
}

/** A new name survives a power cut when its folder is on the disk. Windows has no way to ask for it. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Some file systems refuse it for folders: they keep names in their own time.
  }
}

/**
 * Moves a database with its side files to another name, where a person can look at it, if it is still the one that was
 * found damaged: another process may have found the same and started a new file, which must stay. Returns the new path;
 * undefined when nothing was moved.
 * @throws the system's error when it cannot be moved
 */
function setAside(path: string, damaged: FileIdentity): string | undefined {
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

/** The database of all servers of this user. */
export function storePathIn(scorpioxDir: string): string {
  return join(scorpioxDir, storeFileName);
}
