import type { InputRequests } from "../protocol/input-request.ts";
import { createFault, errorCodes } from "../protocol/json-rpc.ts";
import type { ProtocolFault } from "../protocol/tool-types.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { Connection } from "./connection.ts";

/** What a method answers. Nothing is sent for `cancelled`; `input-required` is for three modern methods only. */
export type MethodReply =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    }
  | { readonly kind: "cancelled" };

/**
 * Cheap methods return their reply at once, so that it joins the write of its input chunk.
 * Rejects with `InputNeeded` or `FaultError`, or by a defect of ours.
 */
export type MethodHandler = (
  request: ActiveRequest,
  connection: Connection,
) => MethodReply | Promise<MethodReply>;

export const cancelledReply: MethodReply = { kind: "cancelled" };

export function resultReply(json: string): MethodReply {
  return { kind: "result", json };
}

export function faultReply(fault: ProtocolFault): MethodReply {
  return { kind: "fault", fault };
}

export function invalidParams(message: string, data?: unknown): MethodReply {
  return faultReply(createFault(errorCodes.invalidParams, `Invalid params: ${message}`, data));
}
