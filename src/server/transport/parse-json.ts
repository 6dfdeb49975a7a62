import { isUtf8 } from "node:buffer";

import { excessOf } from "../../base/json-weight.ts";
import { jsonValuesMax, messageDepthMax } from "../../base/limits.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { TransportEvent } from "./transport.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * One JSON text, strictly: bad UTF-8, a byte order mark and anything around the value are refused.
 * @param what the name of the text in errors, such as "line"
 */
export function parseJson(
  bytes: Uint8Array,
  what: string,
  depthMax: number = messageDepthMax,
): TransportEvent {
  const excess = excessIn(bytes, 0, bytes.length, depthMax);
  if (excess !== undefined) return tooHeavy(what, excess);
  if (!isUtf8(bytes)) {
    return unreadable(errorCodes.parseError, `Parse error: the ${what} is not UTF-8`);
  }
  try {
    return { kind: "message", value: JSON.parse(decoder.decode(bytes)) as unknown };
  } catch {
    return unreadable(errorCodes.parseError, `Parse error: the ${what} is not JSON`);
  }
}

/** A text of which nothing more is looked at. */
export function tooHeavy(what: string, excess: string): TransportEvent {
  const message = `Invalid request: the ${what} has more than ${excess}`;
  return unreadable(errorCodes.invalidRequest, message);
}

/** The limit that the text from `start` to `end` exceeds. Each level takes two bytes, so a short text needs no look. */
export function excessIn(
  bytes: Uint8Array,
  start: number,
  end: number,
  depthMax: number,
): string | undefined {
  if (end - start <= 2 * depthMax) return undefined;
  return excessOf(bytes.subarray(start, end), { depthMax, valuesMax: jsonValuesMax });
}

function unreadable(code: number, message: string): TransportEvent {
  return { kind: "unreadable", fault: createFault(code, message) };
}
