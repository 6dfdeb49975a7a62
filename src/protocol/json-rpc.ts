/** A JSON-RPC error as a value. */
export interface ProtocolFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Echoed exactly as received: `1` and `"1"` are two ids, `0` and `""` are legal (docs/spec/modern.md#envelope). */
export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** The only codes that cross the wire; local failures are `AppError`s (docs/spec/modern.md#errors). */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Legacy revisions only; the modern one has -32602 (SH7). */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/**
 * A string, or an integer that survived parsing. Integers beyond 2^53 were rounded by the parser:
 * echoing them would answer a request that nobody sent.
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

export function createFault(code: number, message: string, data?: unknown): ProtocolFault {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A response whose result already is JSON text: it is spliced in, not parsed and printed again. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

/** An error response. Without a readable id the member is left out, never `null` (SH10). */
export function encodeError(id: RequestId | undefined, fault: ProtocolFault): string {
  const { code, message, data } = fault;
  const idMember = id === undefined ? "" : `"id":${encodeId(id)},`;
  return `{"jsonrpc":"2.0",${idMember}"error":${JSON.stringify({ code, message, data })}}`;
}

export function encodeNotification(method: string, params?: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

export function encodeRequest(id: RequestId, method: string, params?: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

function encodeId(id: RequestId): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

/** Levels of `logging/setLevel`, least severe first (RFC 5424). */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

/** True when a client that asked for `least` and above wants a message of `level`. */
export function isWantedAt(level: LogLevel, least: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(least);
}
