import { tasksShownMax } from "../../../base/limits.ts";
import { lineCostChars } from "./fit-tasks.ts";
import type { Task, TaskStep } from "./task-records.ts";
import type { StepCounts, TaskRow, TaskTable } from "./task-table.ts";
import { missingWords } from "./word-match.ts";

export interface Selection {
  /** The current one if it fits, then the heaviest ones; no more than a reply can ever show. */
  readonly tasks: readonly Task[];
  /** How many there are. */
  readonly matching: number;
}

export interface Wanted {
  /** True: of tasks and of their steps those that are not done. */
  readonly isPending: boolean;
  readonly words: readonly string[];
  /** Tasks of the scope that fit when no words are given: counting them again would cost more than all the rest. */
  readonly countWithoutWords: number;
  readonly currentTaskId: number | null;
  /** See `fitTasks`: steps for which there is no room are not read. */
  readonly charsMax: number;
}

/** The tasks that have all the words. */
export function selectTasks(table: TaskTable, wanted: Wanted): Selection {
  const { isPending, words, countWithoutWords } = wanted;
  if (words.length === 0) {
    const rows = table.tasks({ isPending, countMax: tasksShownMax });
    const shown = withCurrentFirst(table, rows, wanted);
    return { tasks: shownTasks(table, shown, wanted), matching: countWithoutWords };
  }
  const ids = idsWithWords(table, wanted);
  // Among those that were found it is only if it was found.
  const isCurrent = (taskId: number): boolean => taskId === wanted.currentTaskId;
  const order = [...ids.filter(isCurrent), ...ids.filter((taskId) => !isCurrent(taskId))];
  const rows = order.slice(0, tasksShownMax).flatMap((taskId) => table.task(taskId) ?? []);
  return { tasks: shownTasks(table, rows, wanted), matching: ids.length };
}

/** Keeps no text: those of a scope may be more than there is memory for. */
function idsWithWords(table: TaskTable, { isPending, words }: Wanted): number[] {
  const missing = new Map<number, readonly string[]>();
  for (const { taskId, text } of table.texts({ isPending })) {
    missing.set(taskId, missingWords(words, text));
  }
  for (const { taskId, text } of table.stepTexts()) {
    const before = missing.get(taskId) ?? [];
    if (before.length > 0) missing.set(taskId, missingWords(before, text));
  }
  return [...missing].flatMap(([taskId, { length }]) => (length === 0 ? [taskId] : []));
}

function withCurrentFirst(
  table: TaskTable,
  rows: readonly TaskRow[],
  { isPending, currentTaskId }: Wanted,
): readonly TaskRow[] {
  const current = currentTaskId === null ? undefined : table.task(currentTaskId);
  if (current === undefined || (isPending && current.isDone)) return rows;
  const others = rows.filter(({ taskId }) => taskId !== currentTaskId);
  return [current, ...others].slice(0, tasksShownMax);
}

/** With their steps, up to where the lines alone are more than have room. */
function shownTasks(
  table: TaskTable,
  rows: readonly TaskRow[],
  { isPending, charsMax }: Wanted,
): Task[] {
  const counts = table.stepCountsOf(rows.map(({ taskId }) => taskId));
  let room = charsMax;
  const read: number[] = [];
  for (const { taskId } of rows) {
    if (room <= 0) break;
    const { stepCount, stepsDone } = counts.get(taskId) ?? noSteps;
    read.push(taskId);
    room -= (1 + stepCount - (isPending ? stepsDone : 0)) * lineCostChars;
  }
  const steps = table.stepsOf(read, { isPending });
  return rows.map((row) => ({
    ...row,
    steps: steps.get(row.taskId) ?? [],
    ...(counts.get(row.taskId) ?? noSteps),
  }));
}

const noSteps: StepCounts = { stepCount: 0, stepsDone: 0 };

/** A task with all of its steps. */
export function wholeTask(table: TaskTable, row: TaskRow): Task {
  return withSteps(row, table.steps(row.taskId));
}

/** Tasks with all of their steps. */
export function wholeTasks(table: TaskTable, rows: readonly TaskRow[]): Task[] {
  const ids = rows.map(({ taskId }) => taskId);
  const steps = table.stepsOf(ids, { isPending: false });
  return rows.map((row) => withSteps(row, steps.get(row.taskId) ?? []));
}

function withSteps(row: TaskRow, steps: readonly TaskStep[]): Task {
  const stepsDone = steps.filter(({ isDone }) => isDone).length;
  return { ...row, steps, stepCount: steps.length, stepsDone };
}
