import { encodeDiscoverResult } from "../../protocol/handshake-codec.ts";
import type { ActiveRequest } from "../active-request.ts";
import type { Connection } from "../connection.ts";
import { invalidParams, resultReply, type MethodReply } from "../method.ts";
import { offeredCapabilities } from "../offered-capabilities.ts";

/** `server/discover` (modern.md section 2). */
export function handleDiscover({ asker }: ActiveRequest, { server }: Connection): MethodReply {
  const { features, instructions } = server;
  features.router.meet?.(asker.capabilities);
  const offered = offeredCapabilities(features);
  return resultReply(encodeDiscoverResult({ offered, instructions }));
}

/** The same without envelope: an old client never sends it (legacy.md section 1). */
export function handleDiscoverWithoutEnvelope(): MethodReply {
  return invalidParams(
    'params._meta must have "io.modelcontextprotocol/protocolVersion" and "io.modelcontextprotocol/clientCapabilities"',
  );
}
