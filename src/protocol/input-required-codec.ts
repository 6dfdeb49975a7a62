import type { InputRequests } from "./input-request.ts";
import { shapeInputRequests } from "./input-request-codec.ts";
import { modernResultMeta } from "./server-info.ts";
import { isModernVersion, type ProtocolVersion } from "./versions.ts";

/** `InputRequiredResult` as JSON text (docs/spec/modern.md#questions). Without cache hints: it is of this request alone. */
export function encodeInputRequired(
  { requests, requestState }: { readonly requests: InputRequests; readonly requestState: string },
  version: ProtocolVersion,
): string {
  if (!isModernVersion(version)) throw new Error(`${version} has no input_required`);
  return JSON.stringify({
    resultType: "input_required",
    inputRequests: shapeInputRequests(requests, version),
    requestState,
    _meta: modernResultMeta,
  });
}
