import { oneLine } from "../../../base/cut-text.ts";
import { resultBytesPerChar, taskLineCharsMax } from "../../../base/limits.ts";
import type { Task, TaskStep } from "./task-records.ts";

/** Beside its text: ids and marks of one line, of which the structured copy has more than the text. */
export const lineCostChars = 48;
/** The size of a task's structured copy beyond its texts: totals, and the list of its steps. */
const taskCostChars = 40;

export interface FittedTasks {
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
