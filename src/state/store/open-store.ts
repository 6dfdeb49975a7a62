import { Database } from "bun:sqlite";

import { messageOf } from "../../base/errors.ts";
import { type FileIdentity, identityOf } from "./file-identity.ts";
import { makeStoreFile } from "./make-store-file.ts";
import { migrate } from "./migrate.ts";
import { setAside } from "./set-aside.ts";
import { isBusy, isDamage, storeError } from "./store-errors.ts";

export interface StoreOptions {
  /** How long a write waits for another process, in ms. */
  readonly busyMsMax: number;
  /** `full` survives a power cut; `normal` only the end of a process. */
  readonly synchronous: "full" | "normal";
  /** Told when a damaged file was set aside. */
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
  makeStoreFile(path);
  const database = new Database(path, { strict: true });
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

/** On macOS an fsync stops at the drive's own memory; these ask for what reaches the disk. No other system looks at them. */
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
  const row = database.query("PRAGMA quick_check(1)").get() as { quick_check: string };
  if (row.quick_check === "ok") return;
  throw Object.assign(new Error(row.quick_check), { code: "SQLITE_CORRUPT" });
}
