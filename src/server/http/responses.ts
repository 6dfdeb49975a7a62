import { AppError } from "../../base/errors.ts";
import {
  createFault,
  encodeError,
  errorCodes,
  type ProtocolFault,
} from "../../protocol/json-rpc.ts";
import type { ClassifiedMessage } from "../../protocol/message.ts";
import type { Principal } from "../auth/principal.ts";
import type { BodyReading } from "../transport/http/read-body.ts";

/** Shared by all responses: new headers cost a tenth of a small answer. */
const jsonHeaders = new Headers({ "content-type": "application/json" });

export function jsonResponse(
  text: string,
  status: number,
  more?: Readonly<Record<string, string>>,
): Response {
  if (more === undefined) return new Response(text, { status, headers: jsonHeaders });
  return new Response(text, { status, headers: { "content-type": "application/json", ...more } });
}

/** A notification or response was taken (202), or there is nothing to say any more. */
export function accepted(): Response {
  return new Response(null, { status: 202 });
}

export function noContent(): Response {
  return new Response(null, { status: 204 });
}

/** A refusal before any request was read: a JSON-RPC error without id (docs/spec/modern.md#endpoint). */
export function refusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  const fault = createFault(errorCodes.invalidRequest, message);
  return jsonResponse(encodeError(undefined, fault), status, headers);
}

export function tooManySessions(): Response {
  const message = "The limit of sessions is reached: try again later.";
  return refusal(503, message, { "retry-after": "60" });
}

export function shuttingDown(): Response {
  return refusal(503, "The server is shutting down.", { "retry-after": "5" });
}

/** The engine that the replicas of a fleet share is away: the client may try again. */
export function engineAway(error: unknown): Response {
  if (!(error instanceof AppError)) throw error;
  return refusal(503, error.message, { "retry-after": "1" });
}

export function faultResponse(
  status: number,
  fault: ProtocolFault,
  id?: string | number,
): Response {
  return jsonResponse(encodeError(id, fault), status);
}

/** Undefined when the principal may use the tool, else the answer (403). */
export type RefuseTool = (principal: Principal, toolName: string) => Response | undefined;

/** Undefined when the message may be served, else the answer. Asked before anything is done for it. */
export type RefuseMessage = (
  message: ClassifiedMessage,
  principal: Principal,
  request: Request,
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
