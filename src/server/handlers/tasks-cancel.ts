import { taskAcknowledgement } from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { type MethodReply, resultReply } from "../connection/method.ts";
import { findTask } from "./find-task.ts";

/** `tasks/cancel`: acknowledged also when the MCP task has ended before (docs/spec/modern.md#mcp-tasks). */
export function handleTasksCancel(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  const found = findTask(request, connection);
  if (found.kind === "refused") return found.reply;
  found.task.cancel();
  return resultReply(taskAcknowledgement);
}
