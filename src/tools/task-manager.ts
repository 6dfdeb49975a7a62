import * as z from "zod/mini";

import { bodyCharsMax } from "../base/cut-text.ts";
import { AppError } from "../base/errors.ts";
import { notesSchema } from "./notes-schema.ts";
import { describeTasks } from "./shown-tasks.ts";
import type { TaskRequest, TasksReply } from "./task-service.ts";
import { defineTool, type ToolLimits } from "./tool.ts";

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
      /** Those that the answer is about. */
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
