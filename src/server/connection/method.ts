import type { InputRequests } from "../../protocol/input-request.ts";
import { createFault, errorCodes, type ProtocolFault } from "../../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";

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

/** A reply that can be sent as it is. */
export type FinalReply = Exclude<MethodReply, { readonly kind: "input-required" }>;

/** A round of questions, ready to be sent. Few calls ask: what encodes it is loaded with the first. */
export async function encodedRound(
  round: Extract<MethodReply, { readonly kind: "input-required" }>,
  version: ProtocolVersion,
): Promise<FinalReply> {
  const { encodeInputRequired } = await import("../../protocol/input-request-codec.ts");
  return { kind: "result", json: encodeInputRequired(round, version) };
}
