import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { resultReply, type MethodReply } from "../connection/method.ts";
import { unknownCursor } from "./page-reply.ts";

/** `tools/list` (docs/spec/modern.md#tools). At once where the list is the same for all clients with the same extensions. */
export function handleToolsList(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { version, client, params, asker } = request;
  connection.server.features.router.meet?.(asker.capabilities);
  const showsApps = asker.capabilities.apps !== undefined;
  const page = connection.server.toolPages.page(version, client, params?.cursor, showsApps);
  return page instanceof Promise ? page.then(replyOf) : replyOf(page);
}

function replyOf(json: string | undefined): MethodReply {
  return json === undefined ? unknownCursor() : resultReply(json);
}
