import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { resultReply, type MethodReply } from "../method.ts";
import { unknownCursor } from "../page-reply.ts";

/** `tools/list` (modern.md section 4). */
export function handleToolsList(request: ActiveRequest, connection: Connection): MethodReply {
  const { version, client, params } = request;
  const json = connection.server.toolPages.page(version, client, params?.cursor);
  return json === undefined ? unknownCursor() : resultReply(json);
}
