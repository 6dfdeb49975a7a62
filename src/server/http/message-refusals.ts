import type { ClassifiedMessage } from "../../protocol/message.ts";
import type { Principal } from "../auth/principal.ts";
import type { BodyReading } from "../transport/http/read-body.ts";
import { faultResponse } from "./sse-stream.ts";

/** Undefined when the principal may use the tool, else the answer (403). */
export type RefuseTool = (principal: Principal, toolName: string) => Response | undefined;

/** Undefined when the message may be served, else the answer. Asked before anything is done for it. */
export type RefuseMessage = (
  message: ClassifiedMessage,
  principal: Principal,
) => Response | undefined;

/** True for what begins new work. Answers, cancellations and the like belong to work that is under way. */
export function beginsWork({ kind }: ClassifiedMessage): boolean {
  return kind !== "notification" && kind !== "response";
}

/** A call that the principal's scopes do not allow is answered with the missing scopes, before anything runs. */
export function refuseMessage(
  message: ClassifiedMessage,
  principal: Principal,
  refuseTool: RefuseTool,
): Response | undefined {
  if (message.kind !== "legacy-request" && message.kind !== "modern-request") return undefined;
  const name = message.method === "tools/call" ? message.params?.name : undefined;
  return typeof name === "string" ? refuseTool(principal, name) : undefined;
}

/** Does not wait for the rest of a body that is too large or too slow, or has no room. */
export function refuseBody({ status, fault }: Extract<BodyReading, { kind: "refused" }>): Response {
  const response = faultResponse(status, fault);
  if (status === 408 || status === 413 || status === 503)
    response.headers.set("connection", "close");
  if (status === 503) response.headers.set("retry-after", "1");
  return response;
}
