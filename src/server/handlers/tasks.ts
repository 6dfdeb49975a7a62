import { isObject } from "../../protocol/json-rpc.ts";
import { taskAcknowledgement, tasksNotDeclared } from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { faultReply, invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import type { ServedConnection } from "../context/server-context.ts";
import type { McpTask } from "../tasks/mcp-task.ts";
import { mcpTasksOf } from "../tasks/mcp-tasks.ts";

type FoundTask =
  | { readonly kind: "task"; readonly task: McpTask }
  | { readonly kind: "refused"; readonly reply: MethodReply };

/**
 * The MCP task that a request names: -32602 without an id, -32021 without the extension in this very request,
 * -32602 for an unknown or expired task, or another client's (docs/spec/modern.md#declaring-tasks, docs/spec/modern.md#task-methods).
 */
function findTask(request: ActiveRequest, connection: ServedConnection): FoundTask {
  const taskId = request.params?.taskId;
  if (typeof taskId !== "string" || taskId === "") {
    return refused(invalidParams("taskId must be the id of an MCP task"));
  }
  if (!request.asker.capabilities.tasks) {
    return refused(faultReply(tasksNotDeclared(request.method)));
  }
  const task = mcpTasksOf(connection.server).find(request.client.id, taskId);
  if (task !== undefined) return { kind: "task", task };
  const shown = JSON.stringify(taskId.slice(0, 100));
  return refused(invalidParams(`there is no MCP task ${shown}; it may have expired`));
}

function refused(reply: MethodReply): FoundTask {
  return { kind: "refused", reply };
}

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

/** `tasks/get`: the MCP task as it is now (docs/spec/modern.md#mcp-tasks). */
export function handleTasksGet(request: ActiveRequest, connection: ServedConnection): MethodReply {
  const found = findTask(request, connection);
  return found.kind === "refused" ? found.reply : resultReply(found.task.getResult());
}

/** `tasks/update`: takes what answers an open question; the rest is ignored (docs/spec/modern.md#mcp-tasks). */
export function handleTasksUpdate(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  const responses = request.params?.inputResponses;
  if (!isObject(responses)) return invalidParams("inputResponses must be an object");
  const found = findTask(request, connection);
  if (found.kind === "refused") return found.reply;
  found.task.update(responses);
  return resultReply(taskAcknowledgement);
}
