import * as z from "zod/mini";

import type { TaskSummary } from "./services.ts";
import { formatDuration } from "./shown-output.ts";

/** A background task in structured results. */
export const taskSchema = z.object({
  taskId: z.int(),
  command: z.string(),
  state: z.enum(["running", "exited", "failed", "killed", "timed_out", "lost"]),
  exitCode: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  endedBy: z.nullable(z.enum(["timeout", "cancelled", "killed", "shutdown"])),
  pid: z.int(),
  runtimeMs: z.int(),
  unreadBytes: z.int(),
});

/** The state of a task in words: `running for 3.2 s`, `exited with code 0 after 12 ms`. */
export function describeState(task: TaskSummary): string {
  const time = formatDuration(task.runtimeMs);
  switch (task.state) {
    case "running":
      return `running for ${time}`;
    case "exited":
      return `exited with code 0 after ${time}`;
    case "failed":
      return task.signal === null
        ? `failed with exit code ${task.exitCode} after ${time}`
        : `failed: ended by ${task.signal} after ${time}`;
    case "killed":
      return `killed (${killedBy(task)}) after ${time}${leaderEnd(task)}`;
    case "timed_out":
      return `timed out after ${time}${leaderEnd(task)}`;
    case "lost":
      return `lost: it could not be ended (pid ${task.pid})`;
  }
}

function killedBy(task: TaskSummary): string {
  switch (task.endedBy) {
    case "cancelled":
      return "its call was cancelled";
    case "shutdown":
      return "the server was ending";
    case "killed":
    case "timeout":
    case null:
      return "by KillBgTask";
  }
}

function leaderEnd(task: TaskSummary): string {
  if (task.signal !== null) return `, by ${task.signal}`;
  return task.exitCode === null ? "" : `, exit code ${task.exitCode}`;
}
