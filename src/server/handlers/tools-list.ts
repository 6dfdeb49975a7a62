import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { invalidParams, resultReply, type MethodReply } from "../method.ts";

/** All tools on one page: no cursor was ever given out, so each one is unknown (modern.md section 4). */
export function handleToolsList(request: ActiveRequest, connection: Connection): MethodReply {
  if (request.params?.cursor !== undefined) {
    return invalidParams("cursor is unknown; ask without a cursor for the first page");
  }
  return resultReply(connection.server.toolsListJson(request.version, request.client));
}
