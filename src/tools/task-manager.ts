import * as z from "zod/mini";

import { AppError } from "../base/errors.ts";
import type { TaskReply, TaskRequest } from "./task-service.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  action: z
    .enum(["create", "add", "complete", "list", "pending", "switch"])
    .check(z.describe("What to do")),
  query: z
    ._default(z.string(), "")
    .check(z.describe("Words to look for with list, pending and switch; empty = all")),
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
      steps: z.array(z.object({ stepId: z.int(), text: z.string(), isDone: z.boolean() })),
    }),
  ),
  currentTaskId: z.nullable(z.int()),
  stepId: z.nullable(z.int()),
  total: z.int(),
  pending: z.int(),
});

export const taskManager = defineTool({
  name: "TaskManager",
  title: "Keep track of tasks",
  description:
    "Keeps tasks with steps for this workspace; they survive restarts. " +
    "create: a new task (text), which becomes current. add: a step (text) of the task. " +
    "complete: step_id, or without it the whole task. list, pending: tasks that have the words of query. " +
    "switch: makes another task current.",
  input,
  publishedAsRequired: ["query"],
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  async handler(args, { tasks }) {
    const reply = await tasks.perform(requestOf(args));
    return { text: composeText(reply), structured: structuredOf(reply) };
  },
});

function requestOf(args: z.output<typeof input>): TaskRequest {
  const { action, query, task_id: taskId = null, step_id: stepId = null, text = query } = args;
  const words = query.split(/\s+/).filter((word) => word !== "");
  switch (action) {
    case "create":
      return { action, text: needed(text, action) };
    case "add":
      return { action, taskId, text: needed(text, action) };
    case "complete":
      return { action, taskId, stepId };
    case "list":
    case "pending":
      return { action, words };
    case "switch":
      return { action, taskId, words };
  }
}

function needed(text: string, action: string): string {
  if (text.trim() !== "") return text.trim();
  throw new AppError("usage", `\`text\` is missing: ${action} needs it.`);
}

function structuredOf(reply: TaskReply): z.output<typeof output> {
  const tasks = reply.tasks.map((task) => ({ ...task, steps: [...task.steps] }));
  return { ...reply, tasks };
}

function composeText({ tasks, currentTaskId, total, pending }: TaskReply): string {
  const lines = tasks.map(({ taskId, text, isDone }) => {
    const mark = isDone ? "x" : " ";
    return `[${mark}] ${taskId}. ${text}${taskId === currentTaskId ? " (current)" : ""}`;
  });
  return [...lines, `${total} tasks, ${pending} pending.`].join("\n");
}
