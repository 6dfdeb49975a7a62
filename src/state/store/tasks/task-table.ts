import type { StateScope } from "../../../base/server-events.ts";
import { type Dialect, firstOf, present, rowsOf, run, type Steps } from "../steps.ts";
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

const taskColumns = 'task_id AS "taskId", text, is_done AS "isDone"';
const stepColumns = 'task_id AS "taskId", step_id AS "stepId", text, is_done AS "isDone"';

/** Pending ones first, the newest of them first: when there are too many, done and old ones are left out. */
const byWeight = "ORDER BY is_done, task_id DESC";

/** Texts that are held at a time while all of a scope are looked through: 2 MB when each has its longest. */
const textsAtOnce = 200;

/** Rows of one statement: an engine takes some ten thousand values in one. */
const rowsAtOnce = 100;

/** Tasks and steps of one scope. Decides nothing. */
export class TaskTable {
  readonly #dialect: Dialect;
  readonly #scopeId: number;

  constructor(dialect: Dialect, scopeId: number) {
    this.#dialect = dialect;
    this.#scopeId = scopeId;
  }

  *task(taskId: number): Steps<TaskRow | undefined> {
    const text = `SELECT ${taskColumns} FROM tasks WHERE scope_id = $1 AND task_id = $2`;
    const row = yield* firstOf<Kept<TaskRow>>(text, this.#scopeId, taskId);
    return row === undefined ? undefined : marked(row);
  }

  /** The tasks with these ids, in the order of the ids. */
  *tasksOf(taskIds: readonly number[]): Steps<TaskRow[]> {
    const text = `SELECT ${taskColumns} FROM tasks
      WHERE scope_id = $1 AND task_id IN (${this.#dialect.numbersIn("$2")})`;
    const rows = yield* rowsOf<Kept<TaskRow>>(text, this.#scopeId, JSON.stringify(taskIds));
    const byId = new Map(rows.map((row) => [row.taskId, marked(row)]));
    return taskIds.flatMap((taskId) => byId.get(taskId) ?? []);
  }

  /** At most `countMax` of them, pending and new ones first. */
  *tasks({ isPending, countMax }: { isPending: boolean; countMax: number }): Steps<TaskRow[]> {
    const condition = isPending ? "AND is_done = 0" : "";
    const text = `SELECT ${taskColumns} FROM tasks WHERE scope_id = $1 ${condition} ${byWeight} LIMIT $2`;
    const rows = yield* rowsOf<Kept<TaskRow>>(text, this.#scopeId, countMax);
    return rows.map((row) => marked(row));
  }

  *step(stepId: number): Steps<StepRow | undefined> {
    const text = `SELECT ${stepColumns} FROM task_steps WHERE scope_id = $1 AND step_id = $2`;
    const row = yield* firstOf<Kept<StepRow>>(text, this.#scopeId, stepId);
    return row === undefined ? undefined : marked(row);
  }

  /** The texts of all tasks, some at a time; see `tasks` for their order. */
  *texts(
    { isPending }: { isPending: boolean },
    take: (texts: readonly TaskText[]) => void,
  ): Steps<void> {
    const text = `SELECT task_id AS "taskId", text FROM tasks
      WHERE scope_id = $1 AND is_done = $2 AND task_id < $3 ORDER BY task_id DESC LIMIT ${textsAtOnce}`;
    for (const isDone of isPending ? [0] : [0, 1]) {
      let below = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const rows = yield* rowsOf<TaskText>(text, this.#scopeId, isDone, below);
        take(rows);
        if (rows.length < textsAtOnce) break;
        below = rows.at(-1)?.taskId ?? 0;
      }
    }
  }

  *steps(taskId: number): Steps<TaskStep[]> {
    return (yield* this.stepsOf([taskId], { isPending: false })).get(taskId) ?? [];
  }

  /** The steps of these tasks, by task, in one look: a list has up to a thousand of them. */
  *stepsOf(
    taskIds: readonly number[],
    { isPending }: { isPending: boolean },
  ): Steps<Map<number, TaskStep[]>> {
    const condition = isPending ? "AND is_done = 0" : "";
    const text = `SELECT ${stepColumns} FROM task_steps
      WHERE scope_id = $1 AND task_id IN (${this.#dialect.numbersIn("$2")}) ${condition}
      ORDER BY task_id, step_id`;
    const rows = yield* rowsOf<Kept<StepRow>>(text, this.#scopeId, JSON.stringify(taskIds));
    const steps = new Map<number, TaskStep[]>();
    for (const row of rows) {
      const { taskId, ...step } = marked(row);
      const known = steps.get(taskId);
      if (known === undefined) steps.set(taskId, [step]);
      else known.push(step);
    }
    return steps;
  }

  /** The texts of the steps of all tasks, some at a time. */
  *stepTexts(take: (texts: readonly TaskText[]) => void): Steps<void> {
    const text = `SELECT task_id AS "taskId", step_id AS "stepId", text FROM task_steps
      WHERE scope_id = $1 AND step_id > $2 ORDER BY step_id LIMIT ${textsAtOnce}`;
    let above = 0;
    for (;;) {
      const rows = yield* rowsOf<TaskText & { stepId: number }>(text, this.#scopeId, above);
      take(rows);
      if (rows.length < textsAtOnce) return;
      above = rows.at(-1)?.stepId ?? 0;
    }
  }

  *stepCounts(taskId: number): Steps<StepCounts> {
    return (yield* this.stepCountsOf([taskId])).get(taskId) ?? { stepCount: 0, stepsDone: 0 };
  }

  /** The number of steps of each task; tasks without steps are absent. */
  *stepCountsOf(taskIds: readonly number[]): Steps<Map<number, StepCounts>> {
    const text = `SELECT task_id AS "taskId", count(*) AS "stepCount", sum(is_done) AS "stepsDone"
      FROM task_steps WHERE scope_id = $1 AND task_id IN (${this.#dialect.numbersIn("$2")})
      GROUP BY task_id`;
    const rows = yield* rowsOf<StepCounts & { taskId: number }>(
      text,
      this.#scopeId,
      JSON.stringify(taskIds),
    );
    return new Map(rows.map(({ taskId, ...counts }) => [taskId, counts]));
  }

  *addTasks(tasks: readonly TaskRow[]): Steps<void> {
    const rows = tasks.map(({ taskId, text, isDone }) => [taskId, text, Number(isDone)]);
    yield* this.#insert("tasks (scope_id, task_id, text, is_done)", rows);
  }

  *addSteps(steps: readonly StepRow[]): Steps<void> {
    const rows = steps.map(({ taskId, stepId, text, isDone }) => {
      return [stepId, taskId, text, Number(isDone)];
    });
    yield* this.#insert("task_steps (scope_id, step_id, task_id, text, is_done)", rows);
  }

  /** Each row has the scope before its values. Many go out in one statement: an engine may be far away. */
  *#insert(into: string, rows: readonly (readonly (number | string)[])[]): Steps<void> {
    for (let first = 0; first < rows.length; first += rowsAtOnce) {
      const values = rows.slice(first, first + rowsAtOnce).map((row) => [this.#scopeId, ...row]);
      let place = 0;
      const places = values.map((row) => `(${row.map(() => `$${(place += 1)}`).join(", ")})`);
      yield* run(`INSERT INTO ${into} VALUES ${places.join(", ")}`, ...values.flat());
    }
  }

  *markTask(taskId: number, isDone: boolean): Steps<void> {
    const text = "UPDATE tasks SET is_done = $1 WHERE scope_id = $2 AND task_id = $3";
    yield* run(text, Number(isDone), this.#scopeId, taskId);
  }

  *completeStep(stepId: number): Steps<void> {
    const text = "UPDATE task_steps SET is_done = 1 WHERE scope_id = $1 AND step_id = $2";
    yield* run(text, this.#scopeId, stepId);
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

const columns = `scope_id AS "scopeId", current_task_id AS "currentTaskId", last_task_id AS "lastTaskId",
  last_step_id AS "lastStepId", total, pending, revision`;
const ofScope = "FROM task_scopes WHERE workspace = $1 AND owner = $2";

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
export function* readScope({ workspace, owner }: StateScope): Steps<ScopeRow> {
  const row = yield* firstOf<ScopeRow>(`SELECT ${columns} ${ofScope}`, workspace, owner);
  return { ...(row ?? empty) };
}

/** As `readScope`, but makes it when it is not there, and has it alone until the transaction ends. */
export function* claimScope(dialect: Dialect, { workspace, owner }: StateScope): Steps<ScopeRow> {
  const claim = `SELECT ${columns} ${ofScope} ${dialect.lock}`;
  const known = yield* firstOf<ScopeRow>(claim, workspace, owner);
  if (known !== undefined) return { ...known };
  const text =
    "INSERT INTO task_scopes (workspace, owner) VALUES ($1, $2) ON CONFLICT (workspace, owner) DO NOTHING";
  yield* run(text, workspace, owner);
  return { ...present(yield* firstOf<ScopeRow>(claim, workspace, owner)) };
}

/** Scopes that one statement names. */
const scopesAtOnce = 100;

/** The revision of each scope, in the order of the scopes; 0 for one that never had a task. */
export function* readRevisions(scopes: readonly StateScope[]): Steps<number[]> {
  const found = new Map<string, number>();
  for (let first = 0; first < scopes.length; first += scopesAtOnce) {
    const some = scopes.slice(first, first + scopesAtOnce);
    const places = some.map((_scope, place) => `($${2 * place + 1}, $${2 * place + 2})`);
    const text = `SELECT workspace, owner, revision FROM task_scopes
      WHERE (workspace, owner) IN (VALUES ${places.join(", ")})`;
    const values = some.flatMap(({ workspace, owner }) => [workspace, owner]);
    const rows = yield* rowsOf<StateScope & { revision: number }>(text, ...values);
    for (const { revision, ...scope } of rows) found.set(keyOf(scope), revision);
  }
  return scopes.map((scope) => found.get(keyOf(scope)) ?? 0);
}

function keyOf({ workspace, owner }: StateScope): string {
  return JSON.stringify([workspace, owner]);
}

/** Writes the changes in `row`. */
export function* saveScope(row: ScopeRow): Steps<void> {
  const text = `UPDATE task_scopes SET current_task_id = $1, last_task_id = $2, last_step_id = $3,
    total = $4, pending = $5, revision = revision + 1 WHERE scope_id = $6`;
  const { currentTaskId, lastTaskId, lastStepId, total, pending, scopeId } = row;
  yield* run(text, currentTaskId, lastTaskId, lastStepId, total, pending, scopeId);
}
