import type { Database } from "bun:sqlite";

import type { StateScope } from "../../../base/server-events.ts";
import type { TaskStep } from "./task-records.ts";

export interface TaskRow {
  readonly taskId: number;
  readonly text: string;
  readonly isDone: boolean;
}

export interface StepRow extends TaskStep {
  readonly taskId: number;
}

export interface StepCounts {
  readonly stepCount: number;
  readonly stepsDone: number;
}

interface TaskText {
  readonly taskId: number;
  readonly text: string;
}

interface TaskMark {
  readonly isDone: boolean;
}

const taskColumns = "task_id AS taskId, text, is_done AS isDone";
const stepColumns = "task_id AS taskId, step_id AS stepId, text, is_done AS isDone";

/** Pending ones first, the newest of them first: when there are too many, done and old ones are left out. */
const byWeight = "ORDER BY is_done, task_id DESC";

/** Tasks and steps of one scope. Decides nothing. Every method may throw an SQLite error. */
export class TaskTable {
  readonly #database: Database;
  readonly #scopeId: number;

  constructor(database: Database, scopeId: number) {
    this.#database = database;
    this.#scopeId = scopeId;
  }

  task(taskId: number): TaskRow | undefined {
    const row = this.#database
      .query<Kept<TaskRow>, [number, number]>(
        `SELECT ${taskColumns} FROM tasks WHERE scope_id = ? AND task_id = ?`,
      )
      .get(this.#scopeId, taskId);
    return row === null ? undefined : marked(row);
  }

  /** At most `countMax` of them, pending and new ones first. */
  tasks({ isPending, countMax }: { isPending: boolean; countMax: number }): TaskRow[] {
    const condition = isPending ? "AND is_done = 0" : "";
    const rows = this.#database
      .query<Kept<TaskRow>, [number, number]>(
        `SELECT ${taskColumns} FROM tasks WHERE scope_id = ? ${condition} ${byWeight} LIMIT ?`,
      )
      .all(this.#scopeId, countMax);
    return rows.map((row) => marked(row));
  }

  step(stepId: number): StepRow | undefined {
    const row = this.#database
      .query<Kept<StepRow>, [number, number]>(
        `SELECT ${stepColumns} FROM task_steps WHERE scope_id = ? AND step_id = ?`,
      )
      .get(this.#scopeId, stepId);
    return row === null ? undefined : marked(row);
  }

  /** Those of all tasks; see `tasks` for their order. They are read one by one, and not kept. */
  texts({ isPending }: { isPending: boolean }): Iterable<TaskText> {
    const condition = isPending ? "AND is_done = 0" : "";
    return this.#database
      .query<TaskText, number>(
        `SELECT task_id AS taskId, text FROM tasks WHERE scope_id = ? ${condition} ${byWeight}`,
      )
      .iterate(this.#scopeId);
  }

  steps(taskId: number): TaskStep[] {
    return this.stepsOf([taskId], { isPending: false }).get(taskId) ?? [];
  }

  /** The steps of these tasks, by task, in one look: a list has up to a thousand of them. */
  stepsOf(
    taskIds: readonly number[],
    { isPending }: { isPending: boolean },
  ): Map<number, TaskStep[]> {
    const condition = isPending ? "AND is_done = 0" : "";
    const rows = this.#database
      .query<Kept<StepRow>, [number, string]>(
        `SELECT ${stepColumns} FROM task_steps
         WHERE scope_id = ? AND task_id IN (SELECT value FROM json_each(?)) ${condition}
         ORDER BY task_id, step_id`,
      )
      .all(this.#scopeId, JSON.stringify(taskIds));
    const steps = new Map<number, TaskStep[]>();
    for (const row of rows) {
      const { taskId, ...step } = marked(row);
      const known = steps.get(taskId);
      if (known === undefined) steps.set(taskId, [step]);
      else known.push(step);
    }
    return steps;
  }

  /** Those of the steps of all tasks. They are read one by one, and not kept. */
  stepTexts(): Iterable<TaskText> {
    return this.#database
      .query<TaskText, number>("SELECT task_id AS taskId, text FROM task_steps WHERE scope_id = ?")
      .iterate(this.#scopeId);
  }

  stepCounts(taskId: number): StepCounts {
    return this.stepCountsOf([taskId]).get(taskId) ?? { stepCount: 0, stepsDone: 0 };
  }

  /** By task; tasks without steps are absent. */
  stepCountsOf(taskIds: readonly number[]): Map<number, StepCounts> {
    const rows = this.#database
      .query<StepCounts & { taskId: number }, [number, string]>(
        `SELECT task_id AS taskId, count(*) AS stepCount, sum(is_done) AS stepsDone FROM task_steps
         WHERE scope_id = ? AND task_id IN (SELECT value FROM json_each(?)) GROUP BY task_id`,
      )
      .all(this.#scopeId, JSON.stringify(taskIds));
    return new Map(rows.map(({ taskId, ...counts }) => [taskId, counts]));
  }

  addTask({ taskId, text, isDone }: TaskRow): void {
    this.#database
      .query("INSERT INTO tasks (scope_id, task_id, text, is_done) VALUES (?, ?, ?, ?)")
      .run(this.#scopeId, taskId, text, Number(isDone));
  }

  addStep({ taskId, stepId, text, isDone }: StepRow): void {
    this.#database
      .query(
        "INSERT INTO task_steps (scope_id, step_id, task_id, text, is_done) VALUES (?, ?, ?, ?, ?)",
      )
      .run(this.#scopeId, stepId, taskId, text, Number(isDone));
  }

  markTask(taskId: number, isDone: boolean): void {
    this.#database
      .query("UPDATE tasks SET is_done = ? WHERE scope_id = ? AND task_id = ?")
      .run(Number(isDone), this.#scopeId, taskId);
  }

  completeStep(stepId: number): void {
    this.#database
      .query("UPDATE task_steps SET is_done = 1 WHERE scope_id = ? AND step_id = ?")
      .run(this.#scopeId, stepId);
  }
}

type Kept<Row> = Omit<Row, "isDone"> & { readonly isDone: number };

/** SQLite has no truth values. */
function marked<Row extends { isDone: number }>(row: Row): Omit<Row, "isDone"> & TaskMark {
  return { ...row, isDone: row.isDone === 1 };
}

/** The facts about one workspace of one owner, apart from its tasks. */
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
    .query<ScopeRow, [string, string]>(
      `SELECT ${columns} FROM task_scopes WHERE workspace = ? AND owner = ?`,
    )
    .get(workspace, owner);
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
