import { encodeInitializeResult } from "../../protocol/handshake-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { resultReply, type MethodReply } from "../connection/method.ts";
import { offeredCapabilities } from "../context/offered-capabilities.ts";

/** Opens the legacy session. Never an error for the version that was asked for (docs/spec/legacy.md#which-era). */
export function handleInitialize(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply {
  const { server, session } = connection;
  const { features, instructions } = server;
  const version = session.begin(request.params);
  features.router.meet?.(session.capabilities);
  // What an earlier session of this connection was not told yet is not told to this one.
  server.release(connection);
  const offered = { ...offeredCapabilities(features), channel: session.takesChannel };
  return resultReply(encodeInitializeResult(version, { offered, instructions }));
}
