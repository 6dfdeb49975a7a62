import { handleDiscover, handleDiscoverWithoutEnvelope } from "./handlers/discover.ts";
import { handleInitialize } from "./handlers/initialize.ts";
import { handlePing } from "./handlers/ping.ts";
import { handleSetLogLevel } from "./handlers/set-log-level.ts";
import { handleTasksCancel } from "./handlers/tasks-cancel.ts";
import { handleTasksGet } from "./handlers/tasks-get.ts";
import { handleTasksUpdate } from "./handlers/tasks-update.ts";
import { handleToolsCall } from "./handlers/tools-call.ts";
import { handleToolsList } from "./handlers/tools-list.ts";
import type { MethodHandler } from "./method.ts";

export interface Method {
  readonly handle: MethodHandler;
  /** The feature that it belongs to: where that is not offered, the method does not exist. */
  readonly needs?: "resources" | "prompts" | "completion" | "skills" | "tasks";
  /** Legacy: answered before `initialize` too. */
  readonly needsNoSession?: true;
  /** Works on after its handler has returned, so the number of requests in flight bounds it. */
  readonly isLong?: true;
}

/** The only gate: a method that is not in its era's table does not exist (modern.md section 2, legacy.md section 1). */
export const legacyMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", { handle: handleInitialize, needsNoSession: true }],
  ["ping", { handle: handlePing, needsNoSession: true }],
  ["server/discover", { handle: handleDiscoverWithoutEnvelope, needsNoSession: true }],
  ["logging/setLevel", { handle: handleSetLogLevel }],
  ["tools/list", { handle: handleToolsList }],
  ["tools/call", { handle: handleToolsCall, isLong: true }],
]);

export const modernMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["server/discover", { handle: handleDiscover }],
  ["tools/list", { handle: handleToolsList }],
  ["tools/call", { handle: handleToolsCall, isLong: true }],
  ["tasks/get", { handle: handleTasksGet, needs: "tasks" }],
  ["tasks/update", { handle: handleTasksUpdate, needs: "tasks" }],
  ["tasks/cancel", { handle: handleTasksCancel, needs: "tasks" }],
]);
