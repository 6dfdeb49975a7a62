import { isObject } from "../../protocol/json-rpc.ts";
import type { UpstreamCall } from "../upstreams.ts";
import type { ServerOffer } from "./server-offer.ts";

/**
 * Whether a call may be made a second time when its connection was lost before its answer came: reading may, and tools
 * that say that doing it twice does no harm.
 */
export function mayReplay(call: UpstreamCall, offer: ServerOffer): boolean {
  if (call.method !== "tools/call") return true;
  // Answers that somebody has given are for one attempt.
  if (call.inputResponses !== undefined) return false;
  const annotations = offer.tool(String(call.params.name))?.item.annotations;
  if (!isObject(annotations)) return false;
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}
