import { tasksShownMax } from "../../base/limits.ts";
import type { Task } from "./task-records.ts";
import type { TaskRow, TaskTable } from "./task-table.ts";
import { wordMatcher } from "./word-match.ts";

export interface Selection {
  /** The heaviest ones first; no more than a reply can ever show. */
  readonly tasks: readonly Task[];
  /** How many there are. */
  readonly matching: number;
}

export interface Wanted {
  readonly isPending: boolean;
  readonly words: readonly string[];
  /** Tasks of the scope that fit when there are no words: counting them again would cost more than all the rest. */
  readonly countWithoutWords: number;
}

/** The tasks that have all the words. */
export function selectTasks(table: TaskTable, wanted: Wanted): Selection {
  const { isPending, words, countWithoutWords } = wanted;
  if (words.length === 0) {
    const rows = table.tasks({ isPending, countMax: tasksShownMax });
    return { tasks: rows.map((row) => wholeTask(table, row)), matching: countWithoutWords };
  }
  const matches = wordMatcher(words);
  const fits = (row: TaskRow): boolean => matches(row.text) || matches(textWithSteps(table, row));
  const rows = table.tasks({ isPending, countMax: Number.MAX_SAFE_INTEGER }).filter(fits);
  const shown = rows.slice(0, tasksShownMax);
  return { tasks: shown.map((row) => wholeTask(table, row)), matching: rows.length };
}

/** A task with all of its steps. */
export function wholeTask(table: TaskTable, row: TaskRow): Task {
  const steps = table.steps(row.taskId);
  const stepsDone = steps.filter(({ isDone }) => isDone).length;
  return { ...row, steps, stepCount: steps.length, stepsDone };
}

function textWithSteps(table: TaskTable, { taskId, text }: TaskRow): string {
  return [text, ...table.steps(taskId).map((step) => step.text)].join("\n");
}
