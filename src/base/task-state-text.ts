import { formatDuration } from "./amount-text.ts";

/** A command, a continuing call to an upstream server, or the whole of a truncated output. */
export type TaskKind = "command" | "call" | "output";

/** The text for a background task's state in all listings. */
export interface TaskState {
  /** Absent: a command. */
  readonly kind?: TaskKind;
  readonly state: "running" | "exited" | "failed" | "killed" | "timed_out" | "lost";
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedBy: "timeout" | "cancelled" | "killed" | "user" | "shutdown" | null;
  readonly pid: number;
  readonly runtimeMs: number;
}

/** The state of a task in words: `running for 3.2 s`, `exited with code 0 after 12 ms`. */
export function describeState(task: TaskState): string {
  if (task.kind === "output") return "an output that is kept in a file";
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

function killedBy(task: TaskState): string {
  switch (task.endedBy) {
    case "cancelled":
      return "its call was cancelled";
    case "shutdown":
      return "the server was ending";
    case "user":
      return "by the user, in a terminal";
    case "killed":
    case "timeout":
    case null:
      return "by KillBgTask";
  }
}

function leaderEnd(task: TaskState): string {
  if (task.signal !== null) return `, by ${task.signal}`;
  return task.exitCode === null ? "" : `, exit code ${task.exitCode}`;
}
