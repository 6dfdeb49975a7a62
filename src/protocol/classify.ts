import { claimsModernEra, metaOf } from "./envelope.ts";
import { errorCodes, isObject, isRequestId, type Params, type RequestId } from "./json-rpc.ts";

export interface ModernRequest {
  readonly kind: "modern-request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  readonly meta: Params;
}

export interface LegacyRequest {
  readonly kind: "legacy-request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
}

export interface NotificationMessage {
  readonly kind: "notification";
  readonly method: string;
  readonly params: Params | undefined;
}

export interface ResponseMessage {
  readonly kind: "response";
  /** Undefined when unreadable: such a response matches nothing and is never answered. */
  readonly id: RequestId | undefined;
  /** Undefined when the response is an error. */
  readonly result: unknown;
  readonly error: unknown;
}

export interface BatchMessage {
  readonly kind: "batch";
  readonly elements: readonly unknown[];
}

export interface InvalidMessage {
  readonly kind: "invalid";
  readonly code: number;
  readonly message: string;
  /** Only when the id could be read. */
  readonly id?: RequestId;
}

export type ClassifiedMessage =
  | ModernRequest
  | LegacyRequest
  | NotificationMessage
  | ResponseMessage
  | BatchMessage
  | InvalidMessage;

const idRule = 'member "id" must be a string or an integer within ±(2^53-1)';

/** Decides what one parsed JSON value is. The era belongs to the message, not to the connection (docs/spec/legacy.md#which-era). */
export function classifyMessage(value: unknown): ClassifiedMessage {
  if (Array.isArray(value)) return { kind: "batch", elements: value };
  if (!isObject(value)) return invalid(undefined, "a message must be a JSON object");
  const { id } = value;
  // Several client serialisers write null for what is not there: the method of a response, params.
  const method = value.method ?? undefined;
  if (value.jsonrpc !== "2.0") return invalid(id, 'member "jsonrpc" must be "2.0"');
  if (method === undefined) return classifyWithoutMethod(value);
  if (typeof method !== "string") return invalid(id, 'member "method" must be a string');
  const params = value.params ?? undefined;
  if (id === undefined) {
    return { kind: "notification", method, params: isObject(params) ? params : undefined };
  }
  if (!isRequestId(id)) return invalid(id, idRule);
  if (params !== undefined && !isObject(params)) {
    return invalid(id, 'member "params" must be an object');
  }
  return classifyRequest(id, method, params);
}

function classifyRequest(
  id: RequestId,
  method: string,
  params: Params | undefined,
): ModernRequest | LegacyRequest {
  const meta = metaOf(params);
  if (params !== undefined && meta !== undefined && claimsModernEra(meta)) {
    return { kind: "modern-request", id, method, params, meta };
  }
  return { kind: "legacy-request", id, method, params };
}

function classifyWithoutMethod(value: Readonly<Record<string, unknown>>): ClassifiedMessage {
  const { id, result } = value;
  // A result may be null, an error may not: beside a result such a one is not there, alone it is a bad error.
  const error = result === undefined ? value.error : (value.error ?? undefined);
  if (result === undefined && error === undefined) return invalid(id, 'member "method" is missing');
  return { kind: "response", id: isRequestId(id) ? id : undefined, result, error };
}

function invalid(id: unknown, message: string): InvalidMessage {
  const code = errorCodes.invalidRequest;
  const text = `Invalid request: ${message}`;
  return isRequestId(id)
    ? { kind: "invalid", code, message: text, id }
    : { kind: "invalid", code, message: text };
}
