import { pgMigrateMsMax } from "../../../base/limits.ts";
import { AppError } from "../../../base/errors.ts";
import { ownValue } from "../../../base/values.ts";
import type { Connection } from "./connections.ts";

interface Migration {
  readonly sql: string;
  /**
   * The oldest program, by the number of migrations that it knows, which may use the schema afterwards. It stays where it is when
   * something is added, and rises when something goes that older programs need: one version after nobody needs it.
   */
  readonly oldestProgram: number;
}

/**
 * The schema, one step for each version of it. A step that was released is never edited: a change is a new step. It expands
 * first: during a rolling update the versions before and after it run side by side.
 */
export const postgresMigrations: readonly Migration[] = [
  {
    oldestProgram: 1,
    sql: `CREATE TABLE store_changes (
       change_id uuid PRIMARY KEY,
       made_at timestamptz NOT NULL DEFAULT now()
     );
     CREATE INDEX store_changes_by_age ON store_changes (made_at);
     CREATE TABLE plans (
       workspace text NOT NULL,
       owner text NOT NULL,
       goal text NOT NULL,
       plan_file text NOT NULL,
       started_ms bigint NOT NULL,
       PRIMARY KEY (workspace, owner)
     );
     CREATE TABLE task_scopes (
       scope_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       workspace text NOT NULL,
       owner text NOT NULL,
       current_task_id bigint,
       last_task_id bigint NOT NULL DEFAULT 0,
       last_step_id bigint NOT NULL DEFAULT 0,
       total bigint NOT NULL DEFAULT 0,
       pending bigint NOT NULL DEFAULT 0,
       revision bigint NOT NULL DEFAULT 0,
       UNIQUE (workspace, owner)
     );
     CREATE TABLE tasks (
       scope_id bigint NOT NULL REFERENCES task_scopes (scope_id) ON DELETE CASCADE,
       task_id bigint NOT NULL,
       text text NOT NULL,
       is_done integer NOT NULL,
       PRIMARY KEY (scope_id, task_id)
     );
     CREATE INDEX tasks_by_weight ON tasks (scope_id, is_done, task_id DESC);
     CREATE TABLE task_steps (
       scope_id bigint NOT NULL,
       step_id bigint NOT NULL,
       task_id bigint NOT NULL,
       text text NOT NULL,
       is_done integer NOT NULL,
       PRIMARY KEY (scope_id, step_id),
       FOREIGN KEY (scope_id, task_id) REFERENCES tasks (scope_id, task_id) ON DELETE CASCADE
     );
     CREATE INDEX steps_by_task ON task_steps (scope_id, task_id, step_id);`,
  },
  {
    oldestProgram: 1,
    sql: `CREATE TABLE used_states (
       use_id text PRIMARY KEY,
       expires_ms bigint NOT NULL
     );
     CREATE INDEX used_states_by_age ON used_states (expires_ms);
     CREATE TABLE documents (
       name text PRIMARY KEY,
       version bigint NOT NULL,
       content text NOT NULL
     );`,
  },
];

/** The version of the schema that this program knows. */
export const programVersion = postgresMigrations.length;

interface SchemaVersion {
  readonly version: number;
  readonly oldestProgram: number;
}

/** One for all programs: any number that nobody else uses. */
const migrationLock = 0x5c0_2910;

/**
 * Brings the schema up to date: one replica does it, the others wait for it.
 * @throws AppError `system` when a newer version of the program has changed the schema in a way that this one cannot use
 */
export async function migratePostgres(
  connection: Connection,
  name: string,
  migrations = postgresMigrations,
): Promise<void> {
  const seen = await readVersion(connection);
  if (seen !== undefined && seen.version >= migrations.length) {
    assertUsable(seen, name, migrations.length);
    return;
  }
  await run(connection, "BEGIN");
  await run(connection, "SET LOCAL search_path TO scorpiox");
  await run(connection, `SET LOCAL lock_timeout = ${pgMigrateMsMax}`);
  await run(connection, `SET LOCAL statement_timeout = ${pgMigrateMsMax}`);
  await run(connection, `SELECT pg_advisory_xact_lock(${migrationLock})`);
  for (const sql of [makeSchema, makeVersions]) await run(connection, sql);
  const present = await readVersion(connection);
  for (const { sql } of migrations.slice(present?.version ?? 0)) await run(connection, sql);
  if (present === undefined || present.version < migrations.length) {
    await record(connection, migrations);
  }
  await connection.commit();
  if (present !== undefined) assertUsable(present, name, migrations.length);
}

async function run(connection: Connection, sql: string): Promise<void> {
  await connection.runAll(sql, pgMigrateMsMax);
}

async function record(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const oldest = migrations.at(-1)?.oldestProgram ?? 0;
  const text = `INSERT INTO scorpiox.store_schema (version, oldest_program) VALUES ($1, $2)
    ON CONFLICT (is_only) DO UPDATE SET version = $1, oldest_program = $2`;
  await connection.rows({ text, values: [migrations.length, oldest] });
}

/** Not with IF NOT EXISTS alone, which demands the right to make it where somebody else has made it. */
const makeSchema = `DO $$ BEGIN
  IF to_regnamespace('scorpiox') IS NULL THEN CREATE SCHEMA scorpiox; END IF;
END $$`;

const makeVersions = `CREATE TABLE IF NOT EXISTS scorpiox.store_schema (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  version integer NOT NULL,
  oldest_program integer NOT NULL
)`;

/** Undefined for an empty database. */
async function readVersion(connection: Connection): Promise<SchemaVersion | undefined> {
  const there = "SELECT to_regclass('scorpiox.store_schema') IS NOT NULL AS is";
  const [table] = await connection.rows({ text: there, values: [] });
  if (!ownValue<{ is: boolean }>(table).is) return undefined;
  const text = 'SELECT version, oldest_program AS "oldestProgram" FROM scorpiox.store_schema';
  const [row] = await connection.rows({ text, values: [] });
  return ownValue(row);
}

function assertUsable(
  { version, oldestProgram }: SchemaVersion,
  name: string,
  known: number,
): void {
  if (version <= known || oldestProgram <= known) return;
  throw newerError(name);
}

/** The schema is one that this program must not touch. */
export function newerError(name: string): AppError {
  return new AppError(
    "system",
    `${name} cannot be used: a newer version of scorpiox-code has changed its schema. Update scorpiox-code and restart the server.`,
  );
}
