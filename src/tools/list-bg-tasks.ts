import * as z from "zod/mini";

import { bodyCharsMax, formatAmount, formatCount, oneLine } from "../base/cut-text.ts";
import { describeState } from "../base/shown-state.ts";
import { notesSchema, taskSchema } from "./schemas.ts";
import type { TaskSummary } from "./services.ts";
import { defineTool, type ToolLimits, type ToolOutput } from "./tool.ts";

export const listBgTasks = defineTool({
  name: "ListBgTasks",
  title: "List background tasks",
  description:
    "Lists the background tasks of this client, and those kept in its workspace: id, state, exit code, run time, pid, unread bytes, command.",
  input: z.strictObject({}),
  output: z.object({ tasks: z.array(taskSchema), notes: notesSchema }),
  answersInJson: true,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  touchesFiles: false,
  snapshots: ["backgroundTasks"],
  handler(_input, { background, snapshots, limits }) {
    const own = snapshots.backgroundTasks ?? [];
    if (snapshots.mayHaveKept !== true) return listOf(own, limits);
    return background.listKept().then((kept) => listOf([...own, ...kept], limits));
  },
});

function listOf(
  all: readonly TaskSummary[],
  limits: ToolLimits,
): ToolOutput<{ tasks: TaskSummary[]; notes?: string[] }> {
  if (all.length === 0) return { text: "No background tasks.", structured: { tasks: [] } };
  const tasks = fitting(all, bodyCharsMax(limits.resultCharsMax));
  const leftOut = all.length - tasks.length;
  const notes = leftOut === 0 ? [] : [leftOutNote(leftOut)];
  const lines = [...tasks.map(line), ...notes];
  return {
    text: lines.join("\n"),
    structured: { tasks: [...tasks], ...(notes.length > 0 && { notes }) },
  };
}

/** The tasks that fit in the text and in the data; of ended tasks, the newest. */
function fitting(all: readonly TaskSummary[], charsMax: number): readonly TaskSummary[] {
  const isRunning = ({ state }: TaskSummary): boolean => state === "running";
  const byWeight = [
    ...all.filter(isRunning),
    ...all.filter((task) => !isRunning(task)).toReversed(),
  ];
  let left = charsMax;
  const kept = new Set<TaskSummary>();
  for (const task of byWeight) {
    left -= Math.max(line(task).length, JSON.stringify(task).length) + 1;
    if (left < 0) break;
    kept.add(task);
  }
  return all.filter((task) => kept.has(task));
}

function leftOutNote(count: number): string {
  return `[${formatAmount(count, "more task")} are not shown here, those that ended first. ReadBgOutput still reads each of them.]`;
}

function line(task: TaskSummary): string {
  const unread = task.unreadBytes === 0 ? "" : `, ${formatCount(task.unreadBytes)} bytes unread`;
  // A call to an upstream server has no process here.
  const pid = task.pid === 0 ? "" : `, pid ${task.pid}`;
  const kept = task.isKept === true ? " (kept)" : "";
  return `task_id ${task.taskId}${kept}: ${describeState(task)}${pid}${unread}: ${oneLine(task.command, task.command.length)}`;
}
