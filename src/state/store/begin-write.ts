import type { Database } from "bun:sqlite";

import { isBusy } from "./store-errors.ts";

/** Between two tries; their length varies, so that processes that wait for each other do not keep step. */
const retryMs = { min: 0.2, max: 1.2 };

/**
 * Begins a transaction that writes. Waits for other processes up to `busyMsMax`, and not as SQLite does: its sleeps
 * grow to a tenth of a second, while a transaction here takes less than a millisecond.
 * @throws the SQLite error when they take longer
 */
export function beginWrite(database: Database, busyMsMax: number): void {
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
