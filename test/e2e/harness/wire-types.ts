import { modernVersion } from "./messages.ts";

/** A type of one of the schemas. */
export interface WireType {
  /** A revision, or `ext-tasks`. */
  readonly schema: string;
  readonly name: string;
}

/** The result of each method, by its name in the schemas. Methods of the skills extension have no schema. */
const resultNames: Readonly<Record<string, string>> = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  ping: "EmptyResult",
  "logging/setLevel": "EmptyResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "subscriptions/listen": "SubscriptionsListenResult",
};

const taskResultNames: Readonly<Record<string, string>> = {
  "tasks/get": "GetTaskResult",
  "tasks/update": "UpdateTaskResult",
  "tasks/cancel": "CancelTaskResult",
};

/** The type of a result; of `Result` when nothing more is known of the request. */
export function resultType(
  method: string | undefined,
  version: string,
  result: Readonly<Record<string, unknown>>,
): WireType {
  if (version === modernVersion) {
    if (result["resultType"] === "input_required") {
      return { schema: version, name: "InputRequiredResult" };
    }
    if (result["resultType"] === "task") return { schema: "ext-tasks", name: "CreateTaskResult" };
    const taskName = taskResultNames[method ?? ""];
    if (taskName !== undefined) return { schema: "ext-tasks", name: taskName };
  }
  return { schema: version, name: resultNames[method ?? ""] ?? "Result" };
}

/** The type of a reply around its result or error; the names differ between revisions. */
export function replyType(version: string, isError: boolean): WireType {
  const isOld = version < "2025-11-25";
  if (!isError)
    return { schema: version, name: isOld ? "JSONRPCResponse" : "JSONRPCResultResponse" };
  return { schema: version, name: isOld ? "JSONRPCError" : "JSONRPCErrorResponse" };
}

export function notificationType(version: string, method: string): WireType {
  if (method === "notifications/tasks")
    return { schema: "ext-tasks", name: "TaskStatusNotification" };
  return { schema: version, name: "ServerNotification" };
}
