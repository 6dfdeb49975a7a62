import { isObject } from "../../base/values.ts";
import type { ActiveRequest } from "../../server/connection/active-request.ts";

/** Tools that need neither a folder nor a process of the caller: any replica runs them. */
const placelessTools: ReadonlySet<unknown> = new Set([
  "AskUserQuestion",
  "ReadDocs",
  "TaskManager",
  "WebSearch",
]);

/** Methods that look at what the caller has in one place: files, processes, and MCP servers of its own. */
const placedMethods: ReadonlySet<string> = new Set([
  "completion/complete",
  "prompts/get",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "tasks/cancel",
  "tasks/get",
  "tasks/update",
]);

type PlacedRequest = Pick<ActiveRequest, "method" | "params"> & {
  readonly asker: { readonly capabilities: { readonly tasks: boolean } };
};

/** Whether a request has to run where its caller's workspace, processes and MCP servers are (FL3). */
export function hasPlace({ method, params, asker }: PlacedRequest): boolean {
  switch (method) {
    case "tools/call":
      // MCP tasks are kept in one place, whatever they run.
      return !placelessTools.has(params?.name) || asker.capabilities.tasks;
    case "subscriptions/listen": {
      const notifications = params?.notifications;
      if (!isObject(notifications)) return false;
      return (
        notifications.taskIds !== undefined || notifications.resourceSubscriptions !== undefined
      );
    }
    default:
      return placedMethods.has(method);
  }
}
