import type { ModernRequest } from "../../../protocol/classify.ts";
import { metaKeys } from "../../../protocol/envelope.ts";
import { decodeHeaderValue } from "../../../protocol/header-value.ts";
import {
  createFault,
  errorCodes,
  type Params,
  type ProtocolFault,
} from "../../../protocol/json-rpc.ts";
import { argumentAt, type ParamHeader } from "../../../protocol/param-headers.ts";

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
