import * as z from "zod/mini";

import { describeState } from "../base/shown-state.ts";
import { taskSchema } from "./schemas.ts";
import { defineTool } from "./tool.ts";

export const killBgTask = defineTool({
  name: "KillBgTask",
  title: "End a background task",
  description:
    "Ends a background task and everything that it started: SIGTERM, then SIGKILL after 2 s. " +
    "Waits for the end. Says so when the task had already ended.",
  input: z.strictObject({
    task_id: z.int().check(z.describe("task_id from BackgroundBash or Bash")),
  }),
  output: z.object({ ...taskSchema.shape, wasRunning: z.boolean() }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  touchesFiles: false,
  async handler({ task_id: taskId }, { background }) {
    const { task, wasRunning } = await background.kill({ taskId });
    const text = wasRunning
      ? `Task ${taskId}: ${describeState(task)}.`
      : `Task ${taskId} had already ended: ${describeState(task)}. No signal was sent.`;
    return { text, structured: { ...task, wasRunning } };
  },
});
