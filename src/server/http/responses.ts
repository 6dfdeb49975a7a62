import {
  createFault,
  encodeError,
  errorCodes,
  type ProtocolFault,
} from "../../protocol/json-rpc.ts";
import type { StoredEvent } from "../transport/http/event-store.ts";
import { encodeEvent } from "../transport/http/sse.ts";

export const sseHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies such as nginx would hold events back (docs/spec/modern.md#endpoint).
  "x-accel-buffering": "no",
};

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

/** The events of a stream that has ended. */
export function replayResponse(events: readonly StoredEvent[]): Response {
  return new Response(events.map((event) => encodeEvent(event)).join(""), { headers: sseHeaders });
}

export function faultResponse(
  status: number,
  fault: ProtocolFault,
  id?: string | number,
): Response {
  return jsonResponse(encodeError(id, fault), status);
}
