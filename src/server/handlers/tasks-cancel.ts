import { taskAcknowledgement } from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { type MethodReply, resultReply } from "../method.ts";
import { findTask } from "../tasks/find-task.ts";

/** `tasks/cancel`: acknowledged also when the MCP task has ended before (modern.md section 12). */
export function handleTasksCancel(request: ActiveRequest, connection: Connection): MethodReply {
  const found = findTask(request, connection);
  if (found.kind === "refused") return found.reply;
  found.task.cancel();
  return resultReply(taskAcknowledgement);
}
