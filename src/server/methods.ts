import type { ActiveRequest } from "./connection/active-request.ts";
import type { MethodReply } from "./connection/method.ts";
import type { Need } from "./context/offered-capabilities.ts";
import type { ServedConnection } from "./context/server-context.ts";
import {
  handleDiscover,
  handleDiscoverWithoutEnvelope,
  handleInitialize,
  handlePing,
  handleSetLogLevel,
} from "./handlers/lifecycle.ts";
import { handleListen } from "./handlers/listen.ts";
import {
  handleCompletionComplete,
  handlePromptsGet,
  handlePromptsList,
} from "./handlers/prompts.ts";
import {
  handleResourcesDirectoryRead,
  handleResourcesList,
  handleResourcesRead,
  handleResourcesSubscribe,
  handleResourcesUnsubscribe,
  handleResourceTemplatesList,
} from "./handlers/resources.ts";
import { handleSkillsGet, handleSkillsList } from "./handlers/skills.ts";
import { handleTasksCancel, handleTasksGet, handleTasksUpdate } from "./handlers/tasks.ts";
import { handleToolsCall, handleToolsList } from "./handlers/tools.ts";

/**
 * Cheap methods return their reply at once, so that it joins the write of its input chunk.
 * Rejects with `InputNeeded` or `FaultError`, or by a defect of ours.
 */
type MethodHandler = (
  request: ActiveRequest,
  connection: ServedConnection,
) => MethodReply | Promise<MethodReply>;

export interface Method {
  readonly handle: MethodHandler;
  /** The feature that it belongs to: where that is not offered, the method does not exist. */
  readonly needs?: Need;
  /** Legacy: answered before `initialize` too. */
  readonly needsNoSession?: true;
  /** Works on after its handler has returned, so the number of requests in flight bounds it. */
  readonly isLong?: true;
}

/** The same in both eras, but for the shape of their results. */
const commonMethods: readonly (readonly [string, Method])[] = [
  ["tools/list", { handle: handleToolsList, isLong: true }],
  ["tools/call", { handle: handleToolsCall, isLong: true }],
  ["resources/list", { handle: handleResourcesList, needs: "resources", isLong: true }],
  [
    "resources/templates/list",
    { handle: handleResourceTemplatesList, needs: "resources", isLong: true },
  ],
  ["resources/read", { handle: handleResourcesRead, needs: "resources", isLong: true }],
  ["prompts/list", { handle: handlePromptsList, needs: "prompts", isLong: true }],
  ["prompts/get", { handle: handlePromptsGet, needs: "prompts", isLong: true }],
  ["completion/complete", { handle: handleCompletionComplete, needs: "completion", isLong: true }],
  ["skills/list", { handle: handleSkillsList, needs: "skills", isLong: true }],
  ["skills/get", { handle: handleSkillsGet, needs: "skills", isLong: true }],
  [
    "resources/directory/read",
    { handle: handleResourcesDirectoryRead, needs: "skills", isLong: true },
  ],
];

/** The only gate: a method that is not in its era's table does not exist (docs/spec/modern.md#discovery, docs/spec/legacy.md#which-era). */
export const legacyMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", { handle: handleInitialize, needsNoSession: true }],
  ["ping", { handle: handlePing, needsNoSession: true }],
  ["server/discover", { handle: handleDiscoverWithoutEnvelope, needsNoSession: true }],
  ["logging/setLevel", { handle: handleSetLogLevel }],
  ["resources/subscribe", { handle: handleResourcesSubscribe, needs: "resources" }],
  ["resources/unsubscribe", { handle: handleResourcesUnsubscribe, needs: "resources" }],
  ...commonMethods,
]);

export const modernMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["server/discover", { handle: handleDiscover }],
  ...commonMethods,
  ["subscriptions/listen", { handle: handleListen, needs: "subscriptions", isLong: true }],
  ["tasks/get", { handle: handleTasksGet, needs: "tasks" }],
  ["tasks/update", { handle: handleTasksUpdate, needs: "tasks" }],
  ["tasks/cancel", { handle: handleTasksCancel, needs: "tasks" }],
]);
