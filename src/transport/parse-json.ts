import { isUtf8 } from "node:buffer";

import { messageDepthMax } from "../base/limits.ts";
import { createFault, errorCodes } from "../protocol/json-rpc.ts";
import { exceedsDepth } from "./json-depth.ts";
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
  if (!isUtf8(bytes)) {
    return unreadable(errorCodes.parseError, `Parse error: the ${what} is not UTF-8`);
  }
  if (isTooDeep(bytes, 0, bytes.length, depthMax)) {
    const message = `Invalid request: nested deeper than ${depthMax} levels`;
    return unreadable(errorCodes.invalidRequest, message);
  }
  try {
    return { kind: "message", value: JSON.parse(decoder.decode(bytes)) as unknown };
  } catch {
    return unreadable(errorCodes.parseError, `Parse error: the ${what} is not JSON`);
  }
}

/** Whether the text from `start` to `end` nests deeper. Each level takes two bytes, so a short text needs no look. */
export function isTooDeep(
  bytes: Uint8Array,
  start: number,
  end: number,
  depthMax: number,
): boolean {
  if (end - start <= 2 * depthMax) return false;
  return exceedsDepth(bytes.subarray(start, end), depthMax);
}

function unreadable(code: number, message: string): TransportEvent {
  return { kind: "unreadable", fault: createFault(code, message) };
}
