import * as z from "zod/mini";

import { bodyCharsMax, cutEnd, formatCount, oneLine } from "../base/cut-text.ts";
import { AppError } from "../base/errors.ts";
import { notesSchema } from "./schemas.ts";
import type { Task, TaskRequest, TasksReply } from "./state-services.ts";
import { defineTool, type ToolLimits } from "./tool.ts";

/** Characters of a query that nothing has. */
const wordsShownMax = 300;

/** A reply of TaskManager in words. */
interface DescribedTasks {
  /** The outcome, the tasks with ids and marks, the totals. */
  readonly text: string;
  /** Its sentences alone: facts that the data does not contain. */
  readonly notes: string[];
}

/** The outcome, above the tasks where they are shown, and notes on them below. */
interface Sentences {
  readonly above: readonly string[];
  readonly showsTasks?: boolean;
  readonly below?: readonly string[];
}

function describeTasks(request: TaskRequest, reply: TasksReply): DescribedTasks {
  const [task] = reply.tasks;
  const { above, showsTasks = false, below = [] } = sentencesOf(request, reply, task);
  const tasks = showsTasks ? taskLines(reply) : [];
  const lines = [...reply.notices, ...above, ...tasks, ...below, countLine(reply)];
  return { text: lines.join("\n"), notes: [...above, ...below] };
}

/** The tasks as lines: `[x]` is done, steps are indented. */
function taskLines({ tasks, currentTaskId }: TasksReply): string[] {
  return tasks.flatMap((task) => [
    taskLine(task, task.taskId === currentTaskId),
    ...task.steps.map((step) => `    ${markOf(step)} step ${step.stepId}: ${onOneLine(step.text)}`),
  ]);
}

function sentencesOf(request: TaskRequest, reply: TasksReply, task: Task | undefined): Sentences {
  if (request.action === "list" || request.action === "pending") {
    return ofList(request, reply);
  }
  if (task === undefined) return { above: [] };
  switch (request.action) {
    case "create":
      return {
        above: [`Task ${task.taskId} was created and is now the current task.`],
        showsTasks: true,
      };
    case "add": {
      const step = `Step ${reply.stepId} was added to task ${task.taskId}${stepNote(task)}.`;
      return { above: [step], showsTasks: true };
    }
    case "complete":
      return request.stepId === null
        ? { above: completedTask(reply, task) }
        : completedStep(reply, task, request.stepId);
    case "switch": {
      const state = reply.isChanged ? "is now the current task" : "was already the current task";
      const below = cutNote(reply);
      return { above: [`Task ${task.taskId} ${state}.`], showsTasks: true, below };
    }
  }
}

function completedTask({ currentTaskId, isChanged }: TasksReply, task: Task): string[] {
  const { taskId, stepCount, stepsDone } = task;
  const fact = `Task ${taskId} ${isChanged ? "is completed" : "was already completed"}: ${onOneLine(task.text)}`;
  const open = stepCount - stepsDone;
  const steps = open === 0 ? [] : [`${open} of its ${stepCount} steps are not done.`];
  const current = currentTaskId === null ? ["No task is current now."] : [];
  return [fact, ...steps, ...current];
}

function completedStep(reply: TasksReply, task: Task, stepId: number): Sentences {
  const state = reply.isChanged ? "is done" : "was already done";
  const above = [`Step ${stepId} of task ${task.taskId} ${state}${stepNote(task)}.`];
  return { above, showsTasks: true, below: [...cutNote(reply), ...whatIsNext(task)] };
}

function whatIsNext({ taskId, isDone, steps }: Task): string[] {
  const next = steps.find((step) => !step.isDone);
  if (next !== undefined) return [`Next is step ${next.stepId}: ${onOneLine(next.text)}`];
  return isDone ? [] : [`That was the last step: task ${taskId} can be completed.`];
}

function ofList(
  { action, words }: Extract<TaskRequest, { action: "list" | "pending" }>,
  reply: TasksReply,
): Sentences {
  if (reply.matching > 0) return { above: [], showsTasks: true, below: cutNote(reply) };
  if (words.length === 0) {
    return { above: [action === "list" ? "No tasks." : "Nothing is pending."] };
  }
  const kind = action === "list" ? "" : "pending ";
  return {
    above: [`No ${kind}task contains the words ${cutEnd(words.join(" "), wordsShownMax)}.`],
  };
}

function cutNote({ isCut, matching, tasks }: TasksReply): string[] {
  const leftOut = matching - tasks.length;
  if (leftOut > 0) {
    const count = `${formatCount(leftOut)} more of ${formatCount(matching)} tasks are not shown here`;
    return [`[${count}: done and older ones. Find them with words in query.]`];
  }
  return isCut
    ? ["[Long texts are cut and some steps left out; a narrower query shows tasks in full.]"]
    : [];
}

function countLine({ total, pending, currentTaskId }: TasksReply): string {
  const current = currentTaskId === null ? "none" : `task ${currentTaskId}`;
  const tasks = total === 1 ? "1 task" : `${formatCount(total)} tasks`;
  return `${tasks}, ${formatCount(pending)} pending; current: ${current}.`;
}

function taskLine(task: Task, isCurrent: boolean): string {
  const current = isCurrent ? " (current)" : "";
  return `${markOf(task)} task ${task.taskId}: ${onOneLine(task.text)}${current}${stepNote(task)}`;
}

function stepNote({ stepCount, stepsDone }: Task): string {
  return stepCount === 0 ? "" : ` (${stepsDone} of ${stepCount} steps done)`;
}

function markOf({ isDone }: { readonly isDone: boolean }): string {
  return isDone ? "[x]" : "[ ]";
}

function onOneLine(text: string): string {
  return oneLine(text, text.length);
}

const input = z.strictObject({
  action: z
    .enum(["create", "add", "complete", "list", "pending", "switch"])
    .check(z.describe("Action to take")),
  query: z
    ._default(z.string(), "")
    .check(z.describe("Search words for list, pending and switch; empty = all")),
  task_id: z.optional(z.int().check(z.describe("The task; default: the current one"))),
  step_id: z.optional(z.int().check(z.describe("The step to complete"))),
  text: z.optional(z.string().check(z.describe("Text of the new task (create) or step (add)"))),
});

const output = z.object({
  tasks: z.array(
    z.object({
      taskId: z.int(),
      text: z.string(),
      isDone: z.boolean(),
      /** The steps that the answer is about. */
      steps: z.array(z.object({ stepId: z.int(), text: z.string(), isDone: z.boolean() })),
      stepCount: z.int(),
      stepsDone: z.int(),
    }),
  ),
  /** Tasks that fit but have no room in this answer. */
  leftOut: z.int(),
  /** True when texts or steps were cut. */
  isCut: z.boolean(),
  currentTaskId: z.nullable(z.int()),
  stepId: z.nullable(z.int()),
  /** False when it was so before. */
  isChanged: z.boolean(),
  total: z.int(),
  pending: z.int(),
  notices: z.array(z.string()),
  notes: notesSchema,
});

export const taskManager = defineTool({
  name: "TaskManager",
  title: "Keep track of tasks",
  description:
    "Keeps tasks with steps for this workspace; they survive restarts. " +
    "create: a new task (text), which becomes current. add: a step (text) of the task. " +
    "complete: step_id, or without it the whole task. list, pending: tasks that contain the words of query. " +
    "switch: makes another task current.",
  input,
  publishedAsRequired: ["query"],
  output,
  answersInJson: true,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  touchesFiles: false,
  async handler(args, { tasks, limits }) {
    const request = requestOf(args, limits);
    const reply = await tasks.perform(request);
    const { text, notes } = describeTasks(request, reply);
    return { text, structured: { ...(notes.length > 0 && { notes }), ...structuredOf(reply) } };
  },
});

function requestOf(args: z.output<typeof input>, limits: ToolLimits): TaskRequest {
  const { action, query, task_id: taskId = null, step_id: stepId = null } = args;
  const text = args.text === undefined || args.text.trim() === "" ? query : args.text;
  const words = query.split(/\s+/).filter((word) => word !== "");
  const charsMax = bodyCharsMax(limits.resultCharsMax);
  switch (action) {
    case "create":
    case "add": {
      if (text.trim() === "") {
        throw new AppError("usage", `\`text\` is missing: ${action} needs it.`);
      }
      return action === "create" ? { action, text } : { action, taskId, text };
    }
    case "complete":
      return { action, taskId, stepId };
    case "list":
    case "pending":
      return { action, words, charsMax };
    case "switch":
      return { action, taskId, words, charsMax };
  }
}

function structuredOf({ tasks, matching, ...reply }: TasksReply): z.output<typeof output> {
  return {
    ...reply,
    tasks: tasks.map((task) => ({ ...task, steps: [...task.steps] })),
    leftOut: matching - tasks.length,
    notices: [...reply.notices],
  };
}
