import { type ClientCapabilities, readClientCapabilities } from "./client-capabilities.ts";
import {
  createFault,
  errorCodes,
  isLogLevel,
  isObject,
  isRequestId,
  type LogLevel,
  logLevels,
  type Params,
  type ProtocolFault,
  type RequestId,
} from "./json-rpc.ts";
import { isModernVersion, modernVersions, type ModernVersion } from "./versions.ts";

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

/** The sender's data in a modern request; none of it outlives the request. */
export interface Envelope {
  readonly version: ModernVersion;
  readonly capabilities: ClientCapabilities;
  readonly clientName: string | undefined;
  /** Undefined: the client wants no log messages for this request (docs/spec/modern.md#notifications). */
  readonly logLevel: LogLevel | undefined;
}

export type EnvelopeReading =
  | { readonly kind: "envelope"; readonly envelope: Envelope }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/**
 * Checks the fields first (-32602), then the headers with `checkHeaders` (-32020), then whether the version is
 * served (-32022): docs/spec/modern.md#order-of-checks, steps 6 to 8.
 */
export function readEnvelope(
  meta: Params,
  checkHeaders: () => ProtocolFault | undefined = () => undefined,
): EnvelopeReading {
  const missing = findMissing(meta);
  if (missing !== undefined) return { kind: "fault", fault: missing };
  const headerFault = checkHeaders();
  if (headerFault !== undefined) return { kind: "fault", fault: headerFault };
  const version = meta[metaKeys.protocolVersion];
  if (!isModernVersion(version)) return { kind: "fault", fault: unsupportedVersion(version) };
  const logLevel = meta[metaKeys.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel)) return { kind: "fault", fault: badLogLevel };
  const capabilities = readClientCapabilities(meta[metaKeys.clientCapabilities], version);
  const clientName = readName(meta[metaKeys.clientInfo]);
  return { kind: "envelope", envelope: { version, capabilities, clientName, logLevel } };
}

/** Only the faults of the fields themselves (-32602), as `readEnvelope` finds them where no header is in the way. */
export function findFieldFault(meta: Params): ProtocolFault | undefined {
  const missing = findMissing(meta);
  if (missing !== undefined || !isModernVersion(meta[metaKeys.protocolVersion])) return missing;
  const logLevel = meta[metaKeys.logLevel];
  return logLevel === undefined || isLogLevel(logLevel) ? undefined : badLogLevel;
}

function findMissing(meta: Params): ProtocolFault | undefined {
  if (typeof meta[metaKeys.protocolVersion] !== "string") return noVersion;
  return isObject(meta[metaKeys.clientCapabilities]) ? undefined : noCapabilities;
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

/** `clientInfo.name`, which is never required: a malformed value is treated as absent (docs/spec/modern.md#envelope). */
export function readName(clientInfo: unknown): string | undefined {
  return isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined;
}

/** `_meta.progressToken`, a string or an integer (docs/spec/modern.md#envelope); anything else is treated as absent. */
export function readProgressToken(params: Params | undefined): string | number | undefined {
  const token = metaOf(params)?.progressToken;
  return isRequestId(token) ? token : undefined;
}

function fieldFault(key: string, type: string): ProtocolFault {
  const message = `Invalid params: params._meta["${key}"] must be ${type}`;
  return createFault(errorCodes.invalidParams, message);
}

const noVersion = fieldFault(metaKeys.protocolVersion, "a string");
const noCapabilities = fieldFault(metaKeys.clientCapabilities, "an object");
const badLogLevel = fieldFault(metaKeys.logLevel, `one of ${logLevels.join(", ")}`);

function unsupportedVersion(requested: unknown): ProtocolFault {
  return createFault(errorCodes.unsupportedProtocolVersion, "Unsupported protocol version", {
    supported: modernVersions,
    requested,
  });
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
