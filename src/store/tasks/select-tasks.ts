import { tasksShownMax } from "../../base/limits.ts";
import type { Task, TaskStep } from "./task-records.ts";
import type { TaskRow, TaskTable } from "./task-table.ts";
import { wordMatcher } from "./word-match.ts";

export interface Selection {
  /** The current one if it fits, then the heaviest ones; no more than a reply can ever show. */
  readonly tasks: readonly Task[];
  /** How many there are. */
  readonly matching: number;
}

export interface Wanted {
  readonly isPending: boolean;
  readonly words: readonly string[];
  /** Tasks of the scope that fit when there are no words: counting them again would cost more than all the rest. */
  readonly countWithoutWords: number;
  readonly currentTaskId: number | null;
}

/** The tasks that have all the words. */
export function selectTasks(table: TaskTable, wanted: Wanted): Selection {
  const { isPending, words, countWithoutWords } = wanted;
  const hasWords = words.length > 0;
  const countMax = hasWords ? Number.MAX_SAFE_INTEGER : tasksShownMax;
  const rows = table.tasks({ isPending, countMax });
  const fitting = hasWords ? rows.filter(wordFilter(table, words)) : rows;
  const shown = withCurrentFirst(table, fitting, wanted).slice(0, tasksShownMax);
  const matching = hasWords ? fitting.length : countWithoutWords;
  return { tasks: wholeTasks(table, shown), matching };
}

function wordFilter(table: TaskTable, words: readonly string[]): (row: TaskRow) => boolean {
  const matches = wordMatcher(words);
  const stepTexts = table.stepTexts();
  return ({ taskId, text }) => matches(`${text}${stepTexts.get(taskId) ?? ""}`);
}

function withCurrentFirst(
  table: TaskTable,
  rows: readonly TaskRow[],
  { isPending, words, currentTaskId }: Wanted,
): readonly TaskRow[] {
  const current = currentTaskId === null ? undefined : table.task(currentTaskId);
  if (current === undefined || (isPending && current.isDone)) return rows;
  const others = rows.filter(({ taskId }) => taskId !== currentTaskId);
  // Among those that were found it is only if it was found.
  return words.length > 0 && others.length === rows.length ? rows : [current, ...others];
}

/** A task with all of its steps. */
export function wholeTask(table: TaskTable, row: TaskRow): Task {
  return withSteps(row, table.steps(row.taskId));
}

/** Tasks with all of their steps. */
export function wholeTasks(table: TaskTable, rows: readonly TaskRow[]): Task[] {
  const steps = table.stepsOf(rows.map(({ taskId }) => taskId));
  return rows.map((row) => withSteps(row, steps.get(row.taskId) ?? []));
}

function withSteps(row: TaskRow, steps: readonly TaskStep[]): Task {
  const stepsDone = steps.filter(({ isDone }) => isDone).length;
  return { ...row, steps, stepCount: steps.length, stepsDone };
}
