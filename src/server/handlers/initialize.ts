import { encodeInitializeResult } from "../../protocol/handshake-codec.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { resultReply, type MethodReply } from "../method.ts";
import { offeredCapabilities } from "../offered-capabilities.ts";

/** Opens the legacy session. Never an error for the version that was asked for (legacy.md section 1). */
export function handleInitialize(
  request: ActiveRequest,
  { server, session }: Connection,
): MethodReply {
  const { features, instructions } = server;
  const version = session.begin(request.params);
  const offered = offeredCapabilities(features);
  return resultReply(encodeInitializeResult(version, { offered, instructions }));
}
