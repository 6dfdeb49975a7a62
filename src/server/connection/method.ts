import type { InputRequests } from "../../protocol/input-request.ts";
import { createFault, errorCodes, type ProtocolFault } from "../../protocol/json-rpc.ts";

/** The result of a method. Nothing is sent for `cancelled`; `input-required` is for three modern methods only. */
export type MethodReply =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    }
  | { readonly kind: "cancelled" };

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
