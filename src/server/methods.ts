import type { ActiveRequest } from "./connection/active-request.ts";
import type { MethodReply } from "./connection/replies.ts";
import type { Need } from "./context/offered-capabilities.ts";
import type { ServedConnection } from "./context/server-context.ts";
import { lazyHandlers } from "./handlers/late.ts";
import type { LateMethod } from "./handlers/late-handlers.ts";
import {
  handleDiscover,
  handleDiscoverWithoutEnvelope,
  handleInitialize,
  handlePing,
  handleSetLogLevel,
} from "./handlers/lifecycle.ts";
import { handleToolsCall, handleToolsList } from "./handlers/tools.ts";

/**
 * Cheap methods return their reply at once, so that it joins the write of its input chunk; the first request for one that is
 * loaded late waits for it. Rejects with `InputNeeded` or `FaultError`; any other error is a bug.
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

/** A method whose handler is loaded with the first request for any of these. */
function late(name: LateMethod, traits: Omit<Method, "handle">): readonly [LateMethod, Method] {
  const handle: MethodHandler = (request, connection) =>
    lazyHandlers.use((handlers) => handlers[name](request, connection));
  return [name, { handle, ...traits }];
}

/** Methods that both eras have; only the shape of their results differs. */
const commonMethods: readonly (readonly [string, Method])[] = [
  ["tools/list", { handle: handleToolsList, isLong: true }],
  ["tools/call", { handle: handleToolsCall, isLong: true }],
  late("resources/list", { needs: "resources", isLong: true }),
  late("resources/templates/list", { needs: "resources", isLong: true }),
  late("resources/read", { needs: "resources", isLong: true }),
  late("prompts/list", { needs: "prompts", isLong: true }),
  late("prompts/get", { needs: "prompts", isLong: true }),
  late("completion/complete", { needs: "completion", isLong: true }),
  late("skills/list", { needs: "skills", isLong: true }),
  late("skills/get", { needs: "skills", isLong: true }),
  late("resources/directory/read", { needs: "skills", isLong: true }),
];

/** Methods of the legacy era. A method that is not in the table of its era does not exist (docs/spec/modern.md#discovery, docs/spec/legacy.md#which-era). */
export const legacyMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", { handle: handleInitialize, needsNoSession: true }],
  ["ping", { handle: handlePing, needsNoSession: true }],
  ["server/discover", { handle: handleDiscoverWithoutEnvelope, needsNoSession: true }],
  ["logging/setLevel", { handle: handleSetLogLevel }],
  late("resources/subscribe", { needs: "resources" }),
  late("resources/unsubscribe", { needs: "resources" }),
  ...commonMethods,
]);

export const modernMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["server/discover", { handle: handleDiscover }],
  ...commonMethods,
  late("subscriptions/listen", { needs: "subscriptions", isLong: true }),
  late("tasks/get", { needs: "tasks" }),
  late("tasks/update", { needs: "tasks" }),
  late("tasks/cancel", { needs: "tasks" }),
]);
