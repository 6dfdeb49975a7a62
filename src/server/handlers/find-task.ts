import { tasksNotDeclared } from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { faultReply, invalidParams, type MethodReply } from "../connection/method.ts";
import type { McpTask } from "../tasks/mcp-task.ts";

export type FoundTask =
  | { readonly kind: "task"; readonly task: McpTask }
  | { readonly kind: "refused"; readonly reply: MethodReply };

/**
 * The MCP task that a request names: -32602 without an id, -32021 without the extension in this very request,
 * -32602 for an unknown or expired task, or another client's (docs/spec/modern.md#declaring-tasks, docs/spec/modern.md#task-methods).
 */
export function findTask(request: ActiveRequest, connection: ServedConnection): FoundTask {
  const taskId = request.params?.taskId;
  if (typeof taskId !== "string" || taskId === "") {
    return refused(invalidParams("taskId must be the id of an MCP task"));
  }
  if (!request.asker.capabilities.tasks) {
    return refused(faultReply(tasksNotDeclared(request.method)));
  }
  const task = connection.server.mcpTasks.find(request.client.id, taskId);
  if (task !== undefined) return { kind: "task", task };
  const shown = JSON.stringify(taskId.slice(0, 100));
  return refused(invalidParams(`there is no MCP task ${shown}; it may have expired`));
}

function refused(reply: MethodReply): FoundTask {
  return { kind: "refused", reply };
}
