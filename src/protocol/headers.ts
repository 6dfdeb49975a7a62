import { isObject } from "../base/values.ts";

const sentinelStart = "=?base64?";
const sentinelEnd = "?=";
/** Text that a header may carry unencoded: visible ASCII, blanks and tabs (RFC 9110 section 5.5). */
const plainText = /^[\t\x20-\x7e]*$/;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text that a header encodes. `=?base64?…?=` is decoded, strictly in alphabet, padding and UTF-8; the
 * markers are recognised only in this exact form (docs/spec/modern.md#headers). Undefined for values that no client may
 * send.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!plainText.test(value)) return undefined;
  if (!isSentinel(value)) return value;
  const base64 = value.slice(sentinelStart.length, -sentinelEnd.length);
  // The decoder itself would skip blanks.
  if (/\s/.test(base64)) return undefined;
  try {
    return decoder.decode(Uint8Array.fromBase64(base64, { lastChunkHandling: "strict" }));
  } catch {
    return undefined;
  }
}

/** The two markers may not share their question mark. */
function isSentinel(value: string): boolean {
  return (
    value.startsWith(sentinelStart) &&
    value.endsWith(sentinelEnd) &&
    value.length >= sentinelStart.length + sentinelEnd.length
  );
}

/** The form in which a header carries `text`: as it is, or in base64 where that would not arrive as it was sent. */
export function encodeHeaderValue(text: string): string {
  const isSafe = text !== "" && text === text.trim() && plainText.test(text) && !isSentinel(text);
  if (isSafe) return text;
  return `${sentinelStart}${new TextEncoder().encode(text).toBase64()}${sentinelEnd}`;
}

/** An argument of a tool that travels as a header too. */
export interface ParamHeader {
  /** Lower case, with the prefix: `mcp-param-region`. */
  readonly name: string;
  /** Keys from the arguments object to the value. */
  readonly path: readonly string[];
}

type ParamHeadersReading =
  | { readonly kind: "headers"; readonly headers: readonly ParamHeader[] }
  /** The tool must not be listed over HTTP. */
  | { readonly kind: "invalid"; readonly reason: string };

/** A schema on the way: its place, and whether only `properties` led to it. */
interface Place {
  readonly schema: unknown;
  readonly path: readonly string[];
  readonly isReachable: boolean;
}

const annotation = "x-mcp-header";
/** RFC 9110 section 5.1. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const allowedTypes: readonly unknown[] = ["integer", "string", "boolean"];
/** Keywords whose value is a map of schemas under names of the author's choice. */
const mapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
]);
/** Keywords whose value is data: anything like an annotation there is not one. */
const dataKeywords = new Set(["const", "default", "enum", "examples", "required"]);

/**
 * Reads the `x-mcp-header` annotations of a tool's input schema; one that breaks a rule spoils the whole tool
 * (docs/spec/modern.md#headers). No references are followed, and the walk needs no more stack than any other.
 */
export function paramHeadersOf(inputSchema: unknown): ParamHeadersReading {
  const headers = new Map<string, ParamHeader>();
  const waiting: Place[] = [{ schema: inputSchema, path: [], isReachable: true }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (!isObject(place.schema)) continue;
    if (Object.hasOwn(place.schema, annotation)) {
      const reason = problemOf(place.schema, place, headers);
      if (reason !== undefined) return { kind: "invalid", reason };
      const name = headerName(place.schema[annotation]);
      headers.set(name, { name, path: place.path });
    }
    for (const [keyword, value] of Object.entries(place.schema)) {
      // Not spread into one call: a foreign schema may have more keys than a call takes arguments.
      for (const below of placesIn(keyword, value, place)) waiting.push(below);
    }
  }
  return { kind: "headers", headers: [...headers.values()] };
}

/** The argument at a header's path; undefined when it is absent. */
export function argumentAt(args: unknown, path: ParamHeader["path"]): unknown {
  let value = args;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The rule that the annotation breaks; undefined when it is valid. */
function problemOf(
  schema: Readonly<Record<string, unknown>>,
  { path, isReachable }: Place,
  headers: ReadonlyMap<string, ParamHeader>,
): string | undefined {
  const value = schema[annotation];
  const shown = `${annotation} ${JSON.stringify(value)?.slice(0, 100)}`;
  if (typeof value !== "string" || !token.test(value)) return `${shown} is not a header name`;
  if (!isReachable || path.length === 0) {
    return `${shown} is on a property that is not reached through "properties" alone`;
  }
  if (!allowedTypes.includes(schema.type)) {
    return `${shown} is on a property whose type is not integer, string or boolean`;
  }
  return headers.has(headerName(value)) ? `${shown} is used twice` : undefined;
}

/** Lower case, because names of headers compare so, and `Headers` gives them so. */
function headerName(value: unknown): string {
  return `mcp-param-${String(value).toLowerCase()}`;
}

/** The schemas directly below a keyword. */
function placesIn(keyword: string, value: unknown, parent: Place): readonly Place[] {
  if (typeof value !== "object" || value === null || dataKeywords.has(keyword)) return [];
  const { path } = parent;
  if (mapKeywords.has(keyword) && !Array.isArray(value)) {
    const isReachable = parent.isReachable && keyword === "properties";
    return Object.entries(value).map(([name, schema]: [string, unknown]) => ({
      schema,
      path: isReachable ? [...path, name] : path,
      isReachable,
    }));
  }
  const schemas: readonly unknown[] = Array.isArray(value) ? value : [value];
  return schemas.map((schema) => ({ schema, path, isReachable: false }));
}

/** The place of a span in a trace, as W3C Trace Context writes it. */
export interface TraceContext {
  /** 32 lowercase hex digits. */
  readonly traceId: string;
  /** The id of the span, 16 lowercase hex digits. */
  readonly spanId: string;
  /** The caller records its trace; a callee does the same. */
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;
/** The only length that version 00 may have; a later version may be longer, and its first fields are the same. */
const charsMax = 512;

/** Reads a `traceparent`; undefined for anything that is not one (W3C Trace Context, "traceparent Header"). */
export function parseTraceparent(value: unknown): TraceContext | undefined {
  if (typeof value !== "string" || value.length > charsMax) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = pattern.exec(value) ?? [];
  if (version === undefined || version === "ff") return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export function encodeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
