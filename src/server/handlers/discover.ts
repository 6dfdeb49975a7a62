import { encodeDiscoverResult } from "../../protocol/handshake-codec.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { invalidParams, resultReply, type MethodReply } from "../method.ts";

/** `server/discover` (modern.md section 2). */
export function handleDiscover(_request: ActiveRequest, connection: Connection): MethodReply {
  return resultReply(encodeDiscoverResult(connection.server.instructions));
}

/** The same without envelope: an old client never sends it (legacy.md section 1). */
export function handleDiscoverWithoutEnvelope(): MethodReply {
  return invalidParams(
    'params._meta must have "io.modelcontextprotocol/protocolVersion" and "io.modelcontextprotocol/clientCapabilities"',
  );
}
