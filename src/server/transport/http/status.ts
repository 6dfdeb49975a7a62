import { errorCodes } from "../../../protocol/json-rpc.ts";

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
