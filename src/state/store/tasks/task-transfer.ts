import type { Database } from "bun:sqlite";

import { AppError } from "../../../base/errors.ts";
import { tasksMax, taskStepsMax } from "../../../base/limits.ts";
import type { StateScope } from "../../../base/server-events.ts";
import { taskTextFrom, wholeTasks } from "./select-tasks.ts";
import type { TaskStep } from "./task-records.ts";
import { claimScope, readScope, saveScope, TaskTable } from "./task-table.ts";

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
export function exportTasks(database: Database, scope: StateScope): ExportedTask[] {
  const row = readScope(database, scope);
  const table = new TaskTable(database, row.scopeId);
  const rows = table.tasks({ isPending: false, countMax: Number.MAX_SAFE_INTEGER });
  return wholeTasks(table, rows)
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
export function importTasks(
  database: Database,
  scope: StateScope,
  tasks: readonly TransferredTask[],
): { taskIds: number[] } {
  const row = claimScope(database, scope);
  const table = new TaskTable(database, row.scopeId);
  const taskIds = tasks.map(({ text, isDone, steps }, place) => {
    if (row.total >= tasksMax) throw tooMany(place, `${tasksMax} tasks in a workspace`);
    if (steps.length > taskStepsMax) throw tooMany(place, `${taskStepsMax} steps of a task`);
    const taskId = (row.lastTaskId += 1);
    table.addTask({ taskId, text: textOf(text, place), isDone });
    for (const step of steps) {
      const stepId = (row.lastStepId += 1);
      table.addStep({ taskId, stepId, text: textOf(step.text, place), isDone: step.isDone });
    }
    row.total += 1;
    row.pending += isDone ? 0 : 1;
    return taskId;
  });
  if (taskIds.length > 0) saveScope(database, row);
  return { taskIds };
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
