import { formatCount, oneLine } from "../../../base/cut-text.ts";
import { AppError } from "../../../base/errors.ts";
import {
  resultBytesPerChar,
  taskLineCharsMax,
  taskQueryCharsMax,
  tasksShownMax,
  taskTextCharsMax,
} from "../../../base/limits.ts";
import type { Steps } from "../steps.ts";
import type { Task, TaskStep } from "./task-records.ts";
import type { StepCounts, TaskRow, TaskTable } from "./task-table.ts";

/** Makes texts alike that differ in case or in the way their characters are written only. */
function foldText(text: string): string {
  return text.normalize("NFKC").toUpperCase();
}

/** The `words`, which are folded and differ from each other, that do not occur in a text, not even within its words. */
function missingWords(words: readonly string[], text: string): readonly string[] {
  const folded = foldText(text);
  return words.filter((word) => !folded.includes(word));
}

/** Beside its text: ids and marks of one line, of which the structured copy has more than the text. */
export const lineCostChars = 48;
/** The size of a task's structured copy beyond its texts: totals, and the list of its steps. */
const taskCostChars = 40;

interface FittedTasks {
  /** By id. */
  readonly tasks: readonly Task[];
  /** True when texts were cut or steps left out. */
  readonly isCut: boolean;
}

/**
 * As many of `tasks`, from the first on, as have room in `charsMax` characters of text: whole if all of them have,
 * else with one short line each.
 */
export function fitTasks(tasks: readonly Task[], charsMax: number): FittedTasks {
  if (costOfAll(tasks) <= charsMax) return { tasks: byId(tasks), isCut: false };
  const fitting: Task[] = [];
  let room = charsMax;
  for (const task of tasks) {
    const fitted = fitSteps(shortTask(task), room);
    if (fitted === undefined) break;
    fitting.push(fitted);
    room -= costOf(fitted);
  }
  return { tasks: byId(fitting), isCut: true };
}

/** The task with the steps that have room, pending ones first; undefined when not even the task has. */
function fitSteps(task: Task, room: number): Task | undefined {
  const own = lineCost(task.text) + taskCostChars;
  if (own > room) return undefined;
  if (costOf(task) <= room) return task;
  const kept: TaskStep[] = [];
  let left = room - own;
  for (const step of [...task.steps].sort((a, b) => Number(a.isDone) - Number(b.isDone))) {
    left -= lineCost(step.text);
    if (left < 0) break;
    kept.push(step);
  }
  return { ...task, steps: kept.sort((a, b) => a.stepId - b.stepId) };
}

function shortTask(task: Task): Task {
  const steps = task.steps.map((step) => ({ ...step, text: oneLine(step.text, taskLineCharsMax) }));
  return { ...task, text: oneLine(task.text, taskLineCharsMax), steps };
}

function costOfAll(tasks: readonly Task[]): number {
  return tasks.reduce((cost, task) => cost + costOf(task), 0);
}

function costOf({ text, steps }: Task): number {
  return steps.reduce((cost, step) => cost + lineCost(step.text), lineCost(text) + taskCostChars);
}

/** In characters; text that takes many bytes as JSON is measured by the room that it takes. */
function lineCost(text: string): number {
  const json = JSON.stringify(text);
  const chars = Math.max(json.length, Buffer.byteLength(json) / resultBytesPerChar);
  return chars + lineCostChars;
}

function byId(tasks: readonly Task[]): Task[] {
  return [...tasks].sort((a, b) => a.taskId - b.taskId);
}

export interface TaskSelection {
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
export function* selectTasks(table: TaskTable, wanted: Wanted): Steps<TaskSelection> {
  const { isPending, words, countWithoutWords } = wanted;
  if (words.length === 0) {
    const rows = yield* table.tasks({ isPending, countMax: tasksShownMax });
    const shown = yield* withCurrentFirst(table, rows, wanted);
    return { tasks: yield* shownTasks(table, shown, wanted), matching: countWithoutWords };
  }
  const ids = yield* idsWithWords(table, wanted);
  // Among those that were found it is only if it was found.
  const isCurrent = (taskId: number): boolean => taskId === wanted.currentTaskId;
  const order = [...ids.filter(isCurrent), ...ids.filter((taskId) => !isCurrent(taskId))];
  const rows = yield* table.tasksOf(order.slice(0, tasksShownMax));
  return { tasks: yield* shownTasks(table, rows, wanted), matching: ids.length };
}

/** Keeps no text: those of a scope may be more than there is memory for. */
function* idsWithWords(table: TaskTable, { isPending, words }: Wanted): Steps<number[]> {
  const missing = new Map<number, readonly string[]>();
  yield* table.texts({ isPending }, (texts) => {
    for (const { taskId, text } of texts) missing.set(taskId, missingWords(words, text));
  });
  yield* table.stepTexts((texts) => {
    for (const { taskId, text } of texts) {
      const before = missing.get(taskId) ?? [];
      if (before.length > 0) missing.set(taskId, missingWords(before, text));
    }
  });
  return [...missing].flatMap(([taskId, { length }]) => (length === 0 ? [taskId] : []));
}

function* withCurrentFirst(
  table: TaskTable,
  rows: readonly TaskRow[],
  { isPending, currentTaskId }: Wanted,
): Steps<readonly TaskRow[]> {
  const current = currentTaskId === null ? undefined : yield* table.task(currentTaskId);
  if (current === undefined || (isPending && current.isDone)) return rows;
  const others = rows.filter(({ taskId }) => taskId !== currentTaskId);
  return [current, ...others].slice(0, tasksShownMax);
}

/** With their steps, up to where the lines alone are more than have room. */
function* shownTasks(
  table: TaskTable,
  rows: readonly TaskRow[],
  { isPending, charsMax }: Wanted,
): Steps<Task[]> {
  const counts = yield* table.stepCountsOf(rows.map(({ taskId }) => taskId));
  let room = charsMax;
  const read: number[] = [];
  for (const { taskId } of rows) {
    if (room <= 0) break;
    const { stepCount, stepsDone } = counts.get(taskId) ?? noSteps;
    read.push(taskId);
    room -= (1 + stepCount - (isPending ? stepsDone : 0)) * lineCostChars;
  }
  const steps = yield* table.stepsOf(read, { isPending });
  return rows.map((row) => ({
    ...row,
    steps: steps.get(row.taskId) ?? [],
    ...(counts.get(row.taskId) ?? noSteps),
  }));
}

const noSteps: StepCounts = { stepCount: 0, stepsDone: 0 };

/** A task with all of its steps. */
export function* wholeTask(table: TaskTable, row: TaskRow): Steps<Task> {
  return withSteps(row, yield* table.steps(row.taskId));
}

/** Tasks with all of their steps. */
export function* wholeTasks(table: TaskTable, rows: readonly TaskRow[]): Steps<Task[]> {
  const ids = rows.map(({ taskId }) => taskId);
  const steps = yield* table.stepsOf(ids, { isPending: false });
  return rows.map((row) => withSteps(row, steps.get(row.taskId) ?? []));
}

function withSteps(row: TaskRow, steps: readonly TaskStep[]): Task {
  const stepsDone = steps.filter(({ isDone }) => isDone).length;
  return { ...row, steps, stepCount: steps.length, stepsDone };
}

/**
 * Line breaks and tabs are text; the rest of the controls (NUL and escape sequences too) would act on the program that
 * shows it.
 */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The text of a task or step as it is kept: whole characters, no controls, no blanks around it.
 * @throws AppError `usage` when nothing is left, `limit` when it is too long
 */
export function taskTextFrom(text: string): string {
  const kept = text.replaceAll("\r\n", "\n").toWellFormed().replaceAll(controls, "\uFFFD").trim();
  if (kept === "") throw new AppError("usage", "`text` is empty: say what to do.");
  if (kept.length <= taskTextCharsMax) return kept;
  const [length, max] = [kept.length, taskTextCharsMax].map(formatCount);
  throw new AppError(
    "limit",
    `\`text\` has ${length} characters; the limit for a task or step is ${max}. Put long text in a file and name the file.`,
  );
}

/**
 * The words that are looked for, made alike, each of them once.
 * @throws AppError `limit` when they are too long
 */
export function wordsFrom(words: readonly string[]): readonly string[] {
  const length = words.reduce((sum, word) => sum + word.length, 0);
  if (length <= taskQueryCharsMax) return [...new Set(words.map(foldText))];
  const [given, max] = [length, taskQueryCharsMax].map(formatCount);
  throw new AppError(
    "limit",
    `The search words have ${given} characters; the limit is ${max}. A few words are enough.`,
  );
}
