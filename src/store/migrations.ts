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
];
