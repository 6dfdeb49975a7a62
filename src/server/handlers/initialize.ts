import { encodeInitializeResult } from "../../protocol/handshake-codec.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { resultReply, type MethodReply } from "../method.ts";

/** Opens the legacy session. Never an error for the version that was asked for (legacy.md section 1). */
export function handleInitialize(request: ActiveRequest, connection: Connection): MethodReply {
  const version = connection.session.begin(request.params);
  return resultReply(encodeInitializeResult(version, connection.server.instructions));
}
