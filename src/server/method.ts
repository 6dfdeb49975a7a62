import { createFault, errorCodes } from "../protocol/json-rpc.ts";
import type { ProtocolFault } from "../protocol/tool-types.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { Connection } from "./connection.ts";

/** What a method answers. Nothing is sent for `cancelled`. */
export type MethodReply =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  | { readonly kind: "cancelled" };

/** Cheap methods return their reply at once, so that it joins the write of its input chunk. */
export type MethodHandler = (
  request: ActiveRequest,
  connection: Connection,
) => MethodReply | Promise<MethodReply>;

export function resultReply(json: string): MethodReply {
  return { kind: "result", json };
}

export function invalidParams(message: string): MethodReply {
  return {
    kind: "fault",
    fault: createFault(errorCodes.invalidParams, `Invalid params: ${message}`),
  };
}
