import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { type MethodReply, resultReply } from "../method.ts";
import { findTask } from "../tasks/find-task.ts";

/** `tasks/get`: the MCP task as it is now (modern.md section 12). */
export function handleTasksGet(request: ActiveRequest, connection: Connection): MethodReply {
  const found = findTask(request, connection);
  return found.kind === "refused" ? found.reply : resultReply(found.task.getResult());
}
