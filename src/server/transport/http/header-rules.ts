import { argumentAt, decodeHeaderValue, type ParamHeader } from "../../../protocol/headers.ts";
import {
  createFault,
  errorCodes,
  type Params,
  type ProtocolFault,
} from "../../../protocol/json-rpc.ts";
import { metaKeys, type ModernRequest } from "../../../protocol/message.ts";

/** The parameter that `Mcp-Name` repeats, for the methods that have it. */
const nameSources: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);
/** A number in decimal form, as JSON writes it. */
const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Compares the headers of a modern request with its body (docs/spec/modern.md#headers), before anything is done.
 * Returns the fault (-32020) or undefined. Outer blanks are gone already: `Headers` trims; a header that was sent
 * twice is one value with a comma, and so a wrong one.
 * @param paramHeadersOf the annotated arguments of a tool; none for an unknown one
 */
export function checkRequestHeaders(
  { method, params, meta }: ModernRequest,
  headers: Headers,
  paramHeadersOf: (toolName: string) => readonly ParamHeader[],
): ProtocolFault | undefined {
  return (
    checkPlain("MCP-Protocol-Version", headers, meta[metaKeys.protocolVersion]) ??
    checkPlain("Mcp-Method", headers, method) ??
    checkName(method, params, headers) ??
    checkArguments(method, params, headers, paramHeadersOf)
  );
}

/** A header without encoding, which every request must have. */
function checkPlain(name: string, headers: Headers, expected: unknown): ProtocolFault | undefined {
  const value = headers.get(name);
  if (value === null) return mismatch(name, "is missing");
  return value === expected ? undefined : differs(name, value, expected);
}

/** A parameter that is missing or no string is the method's own concern, unless a header claims otherwise. */
function checkName(method: string, params: Params, headers: Headers): ProtocolFault | undefined {
  const source = nameSources.get(method);
  if (source === undefined) return undefined;
  const name = "Mcp-Name";
  if (typeof params[source] !== "string" && !headers.has(name)) return undefined;
  return checkEncoded(name, headers, params[source]);
}

function checkArguments(
  method: string,
  { name: toolName, arguments: args }: Params,
  headers: Headers,
  paramHeadersOf: (toolName: string) => readonly ParamHeader[],
): ProtocolFault | undefined {
  if (method !== "tools/call" || typeof toolName !== "string") return undefined;
  for (const { name, path } of paramHeadersOf(toolName)) {
    const fault = checkEncoded(name, headers, argumentAt(args, path));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A header that repeats `expected`, if that is there and can be repeated. */
function checkEncoded(
  name: string,
  headers: Headers,
  expected: unknown,
): ProtocolFault | undefined {
  const value = headers.get(name);
  if (value === null) return isMirrored(expected) ? mismatch(name, "is missing") : undefined;
  const text = decodeHeaderValue(value);
  if (text === undefined) {
    return mismatch(name, `is ${shown(value)}, which is neither plain ASCII nor valid base64`);
  }
  return isSame(text, expected) ? undefined : differs(name, text, expected);
}

/** Arrays and objects have no form as a header; a schema with annotations refuses them where they do not belong. */
function isMirrored(expected: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof expected);
}

function isSame(text: string, expected: unknown): boolean {
  if (typeof expected === "number") {
    // Beyond the safe range two numbers that differ would look the same.
    return decimal.test(text) && Number(text) === expected && Math.abs(expected) < 2 ** 53;
  }
  return typeof expected === "boolean" ? text === String(expected) : text === expected;
}

function differs(name: string, value: string, expected: unknown): ProtocolFault {
  return mismatch(name, `is ${shown(value)}, but the body says ${shown(expected)}`);
}

function mismatch(name: string, detail: string): ProtocolFault {
  const message = `Header mismatch: ${name} ${detail}; repeat the value of the body`;
  return createFault(errorCodes.headerMismatch, message);
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 100);
}

/** Both kinds of answers, as nearly all clients write them. */
const usual = "application/json, text/event-stream";

interface MediaRange {
  /** `type/subtype` in lower case; either may be `*`. */
  readonly type: string;
  readonly quality: number;
}

/**
 * Whether the client takes both kinds of answer to a POST, JSON and an event stream (docs/spec/modern.md#endpoint).
 * @param accept the header; null, which means anything (RFC 9110 section 12.5.1), is taken
 */
export function isAcceptable(accept: string | null): boolean {
  if (accept === null || accept === usual) return true;
  const ranges = readRanges(accept);
  return takes(ranges, "application", "json") && takes(ranges, "text", "event-stream");
}

/**
 * Whether the client takes an event stream as the answer to GET, which it has to say (docs/spec/legacy.md#streams).
 * @param accept the header, or null
 */
export function takesEventStream(accept: string | null): boolean {
  return accept !== null && takes(readRanges(accept), "text", "event-stream");
}

/**
 * Whether the client would rather have an event stream than JSON: it is named with the higher quality, or first.
 * @param accept the header, or null
 */
export function prefersEventStream(accept: string | null): boolean {
  if (accept === null || accept === usual) return false;
  const named = readRanges(accept).filter(({ type }) => isAnswerType(type));
  const [best] = named.toSorted((one, other) => other.quality - one.quality);
  return best?.type === "text/event-stream";
}

function isAnswerType(type: string): boolean {
  return type === "text/event-stream" || type === "application/json";
}

/** The most specific range decides; one with quality 0 is a refusal. */
function takes(ranges: readonly MediaRange[], type: string, subtype: string): boolean {
  for (const wanted of [`${type}/${subtype}`, `${type}/*`, "*/*"]) {
    const found = ranges.filter((range) => range.type === wanted);
    if (found.length > 0) return found.some((range) => range.quality > 0);
  }
  return false;
}

function readRanges(accept: string): readonly MediaRange[] {
  return accept.split(",").map((text) => {
    const [type = "", ...parameters] = text.split(";");
    return { type: type.trim().toLowerCase(), quality: readQuality(parameters) };
  });
}

/** 1 when it is not given; 0 when it is not a number. */
function readQuality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=");
    if (name.trim().toLowerCase() === "q") return Number(value) || 0;
  }
  return 1;
}

/** Codes for messages that are not requests, in every revision. */
const unreadable: ReadonlySet<number | undefined> = new Set([
  errorCodes.parseError,
  errorCodes.invalidRequest,
]);
/** Errors about the request as a whole, which the modern revisions answer with 400. */
const refused: ReadonlySet<number | undefined> = new Set([
  ...unreadable,
  errorCodes.headerMismatch,
  errorCodes.missingClientCapability,
  errorCodes.unsupportedProtocolVersion,
]);

/**
 * HTTP status of the reply to a modern request (docs/spec/modern.md#statuses). A fault of the envelope, also
 * -32602, was refused with 400 before (`version-header.ts`); here -32602 is about a method's own parameters.
 * @param code that of the reply's error; undefined for a result
 */
export function modernStatus(code: number | undefined): number {
  if (code === errorCodes.methodNotFound) return 404;
  return refused.has(code) ? 400 : 200;
}

/**
 * HTTP status of the reply to a legacy request: what the protocol answers is 200, what is not a request is 400.
 * @param code that of the reply's error; undefined for a result and for a batch
 */
export function legacyStatus(code: number | undefined): number {
  return unreadable.has(code) ? 400 : 200;
}
