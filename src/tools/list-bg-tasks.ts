import * as z from "zod/mini";

import { formatCount } from "../base/amount-text.ts";
import { oneLine } from "../base/cut-text.ts";
import { describeState } from "../base/task-state-text.ts";
import { notesSchema } from "./notes-schema.ts";
import type { TaskSummary } from "./services.ts";
import { taskSchema } from "./task-schema.ts";
import { defineTool } from "./tool.ts";

export const listBgTasks = defineTool({
  name: "ListBgTasks",
  title: "List background tasks",
  description:
    "Lists the background tasks of this client: id, state, exit code, run time, pid, unread bytes, command.",
  input: z.strictObject({}),
  output: z.object({ tasks: z.array(taskSchema), notes: notesSchema }),
  answersInJson: true,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  snapshots: ["backgroundTasks"],
  handler(_input, { snapshots }) {
    const tasks = snapshots.backgroundTasks ?? [];
    const text = tasks.length === 0 ? "No background tasks." : tasks.map(line).join("\n");
    return { text, structured: { tasks: [...tasks] } };
  },
});

function line(task: TaskSummary): string {
  const unread = task.unreadBytes === 0 ? "" : `, ${formatCount(task.unreadBytes)} bytes unread`;
  // A call to another server is no process of ours.
  const pid = task.pid === 0 ? "" : `, pid ${task.pid}`;
  return `task_id ${task.taskId}: ${describeState(task)}${pid}${unread}: ${oneLine(task.command, task.command.length)}`;
}
