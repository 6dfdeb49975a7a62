import { isObject } from "../base/values.ts";
import { errorCodes, isRequestId, type Params, type RequestId } from "./json-rpc.ts";

/** Released revisions with the `initialize` handshake, oldest first. */
export const legacyVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
/** Revisions without a handshake: each request carries its version and capabilities. */
export const modernVersions = ["2026-07-28"] as const;

export type LegacyVersion = (typeof legacyVersions)[number];
export type ModernVersion = (typeof modernVersions)[number];
export type ProtocolVersion = LegacyVersion | ModernVersion;

/** The answer to a client that asks for any other version in `initialize`. */
export const legacyVersionLatest: LegacyVersion = "2025-11-25";

export function isLegacyVersion(value: unknown): value is LegacyVersion {
  return (legacyVersions as readonly unknown[]).includes(value);
}

export function isModernVersion(value: unknown): value is ModernVersion {
  return (modernVersions as readonly unknown[]).includes(value);
}

/** True when `version` is `since` or newer; revision names sort by date. */
export function isAtLeast(version: ProtocolVersion, since: ProtocolVersion): boolean {
  return version >= since;
}

/** The reserved `_meta` keys of the modern revisions (docs/spec/modern.md#envelope). */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** `params._meta` when it is an object. */
export function metaOf(params: Params | undefined): Params | undefined {
  if (params === undefined) return undefined;
  const { _meta: meta } = params;
  return isObject(meta) ? meta : undefined;
}

/** One of the two keys is enough, of any type: a malformed claim is still a modern claim (docs/spec/legacy.md#which-era). */
export function claimsModernEra(meta: Params): boolean {
  return (
    meta[metaKeys.protocolVersion] !== undefined || meta[metaKeys.clientCapabilities] !== undefined
  );
}

const traceKeys: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage"]);

/**
 * The part of a request's `_meta` that is passed on unchanged to the code that does the work: trace keys, and keys of
 * vendors (docs/spec/modern.md#meta-keys). The protocol's own keys are handled here. Undefined when empty.
 */
export function readPassedMeta(params: Params | undefined): Params | undefined {
  const meta = metaOf(params);
  if (meta === undefined) return undefined;
  const passed = Object.entries(meta).filter(([key]) => traceKeys.has(key) || isVendorKey(key));
  return passed.length === 0 ? undefined : Object.fromEntries(passed);
}

/** A prefix whose second label is one of these belongs to the protocol. */
function isVendorKey(key: string): boolean {
  return key.includes("/") && !/^[^./]+\.(?:modelcontextprotocol|mcp)[./]/.test(key);
}

/** `_meta.progressToken`, a string or an integer (docs/spec/modern.md#envelope); anything else is treated as absent. */
export function readProgressToken(params: Params | undefined): string | number | undefined {
  const token = metaOf(params)?.progressToken;
  return isRequestId(token) ? token : undefined;
}

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

/** Classifies one parsed JSON value. The era belongs to the message, not to the connection (docs/spec/legacy.md#which-era). */
export function classifyMessage(value: unknown): ClassifiedMessage {
  if (Array.isArray(value)) return { kind: "batch", elements: value };
  if (!isObject(value)) return invalid(undefined, "a message must be a JSON object");
  const { id } = value;
  // Several client serialisers write null for absent fields: the method of a response, params.
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
