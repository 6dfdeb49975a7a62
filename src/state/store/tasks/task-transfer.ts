import { AppError } from "../../../base/errors.ts";
import { tasksMax, taskStepsMax } from "../../../base/limits.ts";
import type { StateScope } from "../../../base/server-events.ts";
import type { Dialect, Steps } from "../steps.ts";
import { taskTextFrom, wholeTasks } from "./select-tasks.ts";
import type { TaskStep } from "./task-records.ts";
import {
  claimScope,
  readScope,
  saveScope,
  type ScopeRow,
  type StepRow,
  type TaskRow,
  TaskTable,
} from "./task-table.ts";

/** Tasks as they leave and enter: whole, by id. */
export interface TransferredTask {
  readonly text: string;
  readonly isDone: boolean;
  readonly steps: readonly { readonly text: string; readonly isDone: boolean }[];
}

export interface ExportedTask extends TransferredTask {
  readonly taskId: number;
  readonly isCurrent: boolean;
}

/** All tasks of a scope. */
export function* exportTasks(dialect: Dialect, scope: StateScope): Steps<ExportedTask[]> {
  const row = yield* readScope(scope);
  const table = new TaskTable(dialect, row.scopeId);
  const rows = yield* table.tasks({ isPending: false, countMax: Number.MAX_SAFE_INTEGER });
  const tasks = yield* wholeTasks(table, rows);
  return tasks
    .sort((a, b) => a.taskId - b.taskId)
    .map(({ taskId, text, isDone, steps }) => {
      const isCurrent = taskId === row.currentTaskId;
      return { taskId, text, isDone, isCurrent, steps: steps.map(withoutId) };
    });
}

function withoutId({ text, isDone }: TaskStep): TransferredTask["steps"][number] {
  return { text, isDone };
}

/**
 * Adds tasks with new ids, in their order; which one is current stays as it is. All or nothing.
 * @throws AppError `usage`, `limit`, naming the task
 */
export function* importTasks(
  dialect: Dialect,
  scope: StateScope,
  tasks: readonly TransferredTask[],
): Steps<{ taskIds: number[] }> {
  const row = yield* claimScope(dialect, scope);
  const table = new TaskTable(dialect, row.scopeId);
  const numbered = tasks.map((task, place) => numberedTask(row, task, place));
  yield* table.addTasks(numbered);
  yield* table.addSteps(numbered.flatMap(({ steps }) => steps));
  const taskIds = numbered.map(({ taskId }) => taskId);
  if (taskIds.length > 0) yield* saveScope(row);
  return { taskIds };
}

/** Gives a task and its steps their ids, and counts them in `row`. */
function numberedTask(
  row: ScopeRow,
  { text, isDone, steps }: TransferredTask,
  place: number,
): TaskRow & { readonly steps: readonly StepRow[] } {
  if (row.total >= tasksMax) throw tooMany(place, `${tasksMax} tasks in a workspace`);
  if (steps.length > taskStepsMax) throw tooMany(place, `${taskStepsMax} steps of a task`);
  const taskId = (row.lastTaskId += 1);
  const task = { taskId, text: textOf(text, place), isDone };
  row.total += 1;
  row.pending += isDone ? 0 : 1;
  return {
    ...task,
    steps: steps.map((step) => {
      const stepId = (row.lastStepId += 1);
      return { taskId, stepId, text: textOf(step.text, place), isDone: step.isDone };
    }),
  };
}

function textOf(text: string, place: number): string {
  try {
    return taskTextFrom(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `Task ${place + 1} of the file: ${error.message}`);
  }
}

function tooMany(place: number, bound: string): AppError {
  return new AppError(
    "limit",
    `Task ${place + 1} of the file: the limit is ${bound}. Nothing was imported.`,
  );
}
