import { encodeDiscoverResult } from "../../protocol/handshake-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { invalidParams, resultReply, type MethodReply } from "../connection/method.ts";
import { offeredCapabilities } from "../context/offered-capabilities.ts";

/** `server/discover` (docs/spec/modern.md#discovery). */
export function handleDiscover(
  { asker }: ActiveRequest,
  { server }: ServedConnection,
): MethodReply {
  const { features, instructions } = server;
  features.router.meet?.(asker.capabilities);
  const offered = offeredCapabilities(features);
  return resultReply(encodeDiscoverResult({ offered, instructions }));
}

/** The same without envelope: an old client never sends it (docs/spec/legacy.md#which-era). */
export function handleDiscoverWithoutEnvelope(): MethodReply {
  return invalidParams(
    'params._meta must have "io.modelcontextprotocol/protocolVersion" and "io.modelcontextprotocol/clientCapabilities"',
  );
}
