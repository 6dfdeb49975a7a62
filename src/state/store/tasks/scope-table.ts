import type { Database } from "bun:sqlite";

import type { StateScope } from "../../../base/server-events.ts";

/** What is known of one workspace of one owner beside its tasks. */
export interface ScopeRow {
  readonly scopeId: number;
  currentTaskId: number | null;
  /** Ids count up from these and are never given out again. */
  lastTaskId: number;
  lastStepId: number;
  total: number;
  pending: number;
  /** Counts the changes, for callers that need to know whether one was made. */
  readonly revision: number;
}

const columns = `scope_id AS scopeId, current_task_id AS currentTaskId, last_task_id AS lastTaskId,
  last_step_id AS lastStepId, total, pending, revision`;

/** The revision of a scope by workspace and owner, for callers that only look. */
export const revisionQuery = "SELECT revision FROM task_scopes WHERE workspace = ? AND owner = ?";

const empty: Readonly<ScopeRow> = {
  scopeId: 0,
  currentTaskId: null,
  lastTaskId: 0,
  lastStepId: 0,
  total: 0,
  pending: 0,
  revision: 0,
};

/** The current scope; one that never had a task has `scopeId` 0. */
export function readScope(database: Database, { workspace, owner }: StateScope): ScopeRow {
  const row = database
    .query(`SELECT ${columns} FROM task_scopes WHERE workspace = ? AND owner = ?`)
    .get(workspace, owner) as ScopeRow | null;
  return row ?? { ...empty };
}

/** As `readScope`, but makes it when it is not there. */
export function claimScope(database: Database, scope: StateScope): ScopeRow {
  const row = readScope(database, scope);
  if (row.scopeId !== 0) return row;
  const { lastInsertRowid } = database
    .query("INSERT INTO task_scopes (workspace, owner) VALUES (?, ?)")
    .run(scope.workspace, scope.owner);
  return { ...row, scopeId: Number(lastInsertRowid) };
}

/** Writes the changes in `row`. */
export function saveScope(database: Database, row: ScopeRow): void {
  database
    .query(
      `UPDATE task_scopes SET current_task_id = ?, last_task_id = ?, last_step_id = ?, total = ?, pending = ?,
         revision = revision + 1 WHERE scope_id = ?`,
    )
    .run(row.currentTaskId, row.lastTaskId, row.lastStepId, row.total, row.pending, row.scopeId);
}
