import { isBusy, isDamage } from "./store-errors.ts";
import type { Database } from "bun:sqlite";

import { AppError, systemCodeOf } from "../../base/errors.ts";
import { runSteps, sqliteDialect } from "./steps.ts";
import { isWrite, type StoreCall, storeCallSteps } from "./store-methods.ts";

/** Between two tries; their length varies, so that processes that wait for each other do not keep step. */
const retryMs = { min: 0.2, max: 1.2 };

/**
 * Begins a transaction that writes. Waits for other processes up to `busyMsMax`, and not as SQLite does: its sleeps
 * grow to a tenth of a second, while a transaction here takes less than a millisecond.
 * @throws the SQLite error when they take longer
 */
function beginWrite(database: Database, busyMsMax: number): void {
  database.run("PRAGMA busy_timeout = 0");
  try {
    const deadline = performance.now() + busyMsMax;
    while (!tryToBegin(database, deadline)) {
      Bun.sleepSync(retryMs.min + Math.random() * (retryMs.max - retryMs.min));
    }
  } finally {
    database.run(`PRAGMA busy_timeout = ${busyMsMax}`);
  }
}

/** False when it may be tried again. */
function tryToBegin(database: Database, deadline: number): boolean {
  try {
    database.run("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (!isBusy(error) || performance.now() >= deadline) throw error;
    return false;
  }
}

/** How one of several requests ended. */
export type StoreOutcome =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "refused"; readonly error: AppError };

/** A transaction that failed as a whole. */
export class CommitError extends Error {
  override readonly name = "CommitError";

  /** @param mayBeKept true when the changes may be on the disk all the same */
  constructor(
    readonly reason: unknown,
    readonly mayBeKept: boolean,
  ) {
    super("the transaction failed", { cause: reason });
  }
}

/**
 * Does all of them in one transaction, so that they share one fsync; a request that is refused (`AppError`) changes
 * nothing and spoils none of the others. The changes that it returns are on the disk.
 * @param busyMsMax how long it waits for other processes
 * @param assertUsable throws when the file must not be used; asked when nobody else can change it any more
 * @throws CommitError when none of them was done
 */
export function commitTogether(
  database: Database,
  calls: readonly StoreCall[],
  busyMsMax: number,
  assertUsable: () => void,
): StoreOutcome[] {
  try {
    if (calls.some(isWrite)) beginWrite(database, busyMsMax);
    else database.run("BEGIN");
    assertUsable();
    const outcomes = calls.map((call) => attempt(database, call));
    commit(database);
    return outcomes;
  } catch (error) {
    abandon(database);
    throw error instanceof CommitError ? error : new CommitError(error, false);
  }
}

function abandon(database: Database): void {
  try {
    if (database.inTransaction) database.run("ROLLBACK");
  } catch {
    // The first failure is the one to report; closing the connection abandons the rest.
  }
}

function attempt(database: Database, call: StoreCall): StoreOutcome {
  database.run("SAVEPOINT request");
  try {
    const value = runSteps(database, storeCallSteps(sqliteDialect, call)) ?? null;
    database.run("RELEASE request");
    return { kind: "done", value };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    database.run("ROLLBACK TO request");
    database.run("RELEASE request");
    return { kind: "refused", error };
  }
}

/**
 * A write without room has left a commit without its end, which has no effect. When the disk fails to confirm, the end
 * may have reached it, and the next process to open the file may find the changes.
 */
function commit(database: Database): void {
  try {
    database.run("COMMIT");
  } catch (error) {
    const mayBeKept = !isDamage(error) && String(systemCodeOf(error)).startsWith("SQLITE_IOERR");
    throw new CommitError(error, mayBeKept);
  }
}
