import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { type MethodReply, resultReply } from "../connection/method.ts";
import { findTask } from "./find-task.ts";

/** `tasks/get`: the MCP task as it is now (docs/spec/modern.md#mcp-tasks). */
export function handleTasksGet(request: ActiveRequest, connection: ServedConnection): MethodReply {
  const found = findTask(request, connection);
  return found.kind === "refused" ? found.reply : resultReply(found.task.getResult());
}
