import { Database } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { migrations } from "./migrations.ts";

export interface StoreOptions {
  /** How long a write waits for another process, in ms. */
  readonly busyMsMax: number;
  /** `full` survives a power cut; `normal` only the end of a process. */
  readonly synchronous: "full" | "normal";
  /** Told when a damaged file was set aside. */
  readonly warn: (message: string) => void;
}

/**
 * Opens the SQLite file, makes it (0600) when it is not there, and brings its schema up to date. A file
 * that is no database is set aside, not overwritten.
 * @throws AppError `system` when the file cannot be used: read-only, full disk, made by a newer version
 */
export function openStore(path: string, options: StoreOptions): Database {
  try {
    return openAndMigrate(path, options);
  } catch (error) {
    if (!isDamage(error)) throw unusable(path, error);
    const aside = `${path}.damaged-${Date.now()}`;
    try {
      setAside(path, aside);
      options.warn(`${path} is damaged (${messageOf(error)}); it was set aside as ${aside}.`);
      return openAndMigrate(path, options);
    } catch (second) {
      throw unusable(path, second);
    }
  }
}

function openAndMigrate(path: string, { busyMsMax, synchronous }: StoreOptions): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives its side files the mode of the main file.
  closeSync(openSync(path, "a", 0o600));
  const database = new Database(path, { strict: true });
  try {
    database.run(`PRAGMA busy_timeout = ${busyMsMax}`);
    switchToWal(database, busyMsMax);
    database.run(`PRAGMA synchronous = ${synchronous}`);
    database.run("PRAGMA foreign_keys = ON");
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** How soon a switch that met another process is tried again. */
const walRetryMs = 5;

/**
 * The switch of a new file needs it alone, and SQLite does not wait for that as it waits for a write: of several
 * processes that make the same file at once all but one would be refused.
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

function isBusy(error: unknown): boolean {
  return String(systemCodeOf(error)).startsWith("SQLITE_BUSY");
}

function migrate(database: Database): void {
  if (versionOf(database) === migrations.length) return;
  database
    .transaction(() => {
      // Another process may have been quicker between the look and the lock.
      const from = versionOf(database);
      if (from > migrations.length) throw new Error("it was written by a newer version");
      for (const step of migrations.slice(from)) database.run(step);
      database.run(`PRAGMA user_version = ${migrations.length}`);
    })
    .immediate();
}

function versionOf(database: Database): number {
  const row = database.query("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}

function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT";
}

function setAside(path: string, aside: string): void {
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
}

function unusable(path: string, cause: unknown): AppError {
  const isFolderFile = systemCodeOf(cause) === "EEXIST" || systemCodeOf(cause) === "ENOTDIR";
  const remedy = isFolderFile
    ? `${dirname(path)} must be a folder: move away what is there, or set SCORPIOX_HOME.`
    : `Make the folder writable, free space, or set SCORPIOX_HOME to another folder.`;
  const message = `${path} cannot be used: ${messageOf(cause)}. ${remedy}`;
  return new AppError("system", message, { cause });
}
