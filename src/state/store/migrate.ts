import type { Database } from "bun:sqlite";

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
  const row = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  return row?.user_version ?? 0;
}

/**
 * The schema, one step for each version of the file. A step that was released is never edited: a
 * change is a new step.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE instances (
     id TEXT PRIMARY KEY,
     pid INTEGER NOT NULL,
     start_ticks INTEGER NOT NULL,
     boot_id TEXT NOT NULL
   ) STRICT;
   CREATE TABLE live_groups (
     instance_id TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
     group_id INTEGER NOT NULL,
     start_ticks INTEGER NOT NULL,
     PRIMARY KEY (instance_id, group_id)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE engine_suspensions (
     engine TEXT PRIMARY KEY,
     reason TEXT NOT NULL,
     until_ms INTEGER NOT NULL,
     probe_until_ms INTEGER NOT NULL,
     challenges INTEGER NOT NULL,
     denials INTEGER NOT NULL,
     faults INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE plans (
     workspace TEXT NOT NULL,
     owner TEXT NOT NULL,
     goal TEXT NOT NULL,
     plan_file TEXT NOT NULL,
     started_ms INTEGER NOT NULL,
     PRIMARY KEY (workspace, owner)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE task_scopes (
     scope_id INTEGER PRIMARY KEY,
     workspace TEXT NOT NULL,
     owner TEXT NOT NULL,
     current_task_id INTEGER,
     last_task_id INTEGER NOT NULL DEFAULT 0,
     last_step_id INTEGER NOT NULL DEFAULT 0,
     total INTEGER NOT NULL DEFAULT 0,
     pending INTEGER NOT NULL DEFAULT 0,
     revision INTEGER NOT NULL DEFAULT 0,
     UNIQUE (workspace, owner)
   ) STRICT;
   CREATE TABLE tasks (
     scope_id INTEGER NOT NULL REFERENCES task_scopes (scope_id) ON DELETE CASCADE,
     task_id INTEGER NOT NULL,
     text TEXT NOT NULL,
     is_done INTEGER NOT NULL,
     PRIMARY KEY (scope_id, task_id)
   ) STRICT;
   CREATE INDEX tasks_by_weight ON tasks (scope_id, is_done, task_id DESC);
   CREATE TABLE task_steps (
     scope_id INTEGER NOT NULL,
     step_id INTEGER NOT NULL,
     task_id INTEGER NOT NULL,
     text TEXT NOT NULL,
     is_done INTEGER NOT NULL,
     PRIMARY KEY (scope_id, step_id),
     FOREIGN KEY (scope_id, task_id) REFERENCES tasks (scope_id, task_id) ON DELETE CASCADE
   ) STRICT;
   CREATE INDEX steps_by_task ON task_steps (scope_id, task_id, step_id);`,
];
