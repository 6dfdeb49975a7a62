import { isObject } from "../../protocol/json-rpc.ts";
import { taskAcknowledgement } from "../../protocol/mcp-task.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import { findTask } from "./find-task.ts";

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
