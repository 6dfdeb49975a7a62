import type { Database } from "bun:sqlite";

import { migrations } from "./migrations.ts";
import { newerVersionCode } from "./store-errors.ts";

/** Brings the schema up to date. @throws Error for a file of a newer version, which is not touched */
export function migrate(database: Database): void {
  if (versionOf(database) === migrations.length) return;
  database
    .transaction(() => {
      // Another process may have been quicker between the look and the lock.
      assertNotNewer(database);
      for (const step of migrations.slice(versionOf(database))) database.run(step);
      database.run(`PRAGMA user_version = ${migrations.length}`);
    })
    .immediate();
}

/** @throws Error when a newer version has changed the schema */
export function assertNotNewer(database: Database): void {
  if (versionOf(database) <= migrations.length) return;
  const message = "it was written by a newer version of scorpiox-code";
  throw Object.assign(new Error(message), { code: newerVersionCode });
}

function versionOf(database: Database): number {
  const row = database.query("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}
