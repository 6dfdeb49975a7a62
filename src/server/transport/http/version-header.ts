import { findFieldFault } from "../../../protocol/client-capabilities.ts";
import {
  createFault,
  errorCodes,
  type Params,
  type ProtocolFault,
  type RequestId,
} from "../../../protocol/json-rpc.ts";
import {
  type ClassifiedMessage,
  metaKeys,
  metaOf,
  type NotificationMessage,
  isLegacyVersion,
  isModernVersion,
  type LegacyVersion,
  legacyVersions,
  modernVersions,
} from "../../../protocol/message.ts";

export type EraDecision =
  | { readonly kind: "modern" }
  | { readonly kind: "legacy" }
  | {
      readonly kind: "refused";
      readonly status: 400;
      readonly fault: ProtocolFault;
      /** The id of the request; undefined where none can be read. */
      readonly id: RequestId | undefined;
    };

export interface EraQuestion {
  /** The value of `MCP-Protocol-Version`. */
  readonly header: string | undefined;
  readonly message: ClassifiedMessage;
}

const modern: EraDecision = { kind: "modern" };
const legacy: EraDecision = { kind: "legacy" };

/**
 * Which rules one POST is served by, without knowledge of sessions (docs/spec/legacy.md#which-era). Faults
 * of a modern envelope's own fields are found here, a missing one of `server/discover` included, which no other era
 * has; the header is compared with it later (docs/spec/modern.md#order-of-checks, steps 4 to 6).
 */
export function decideEra({ header, message }: EraQuestion): EraDecision {
  switch (message.kind) {
    case "invalid":
      return refused(createFault(message.code, message.message), message.id);
    case "modern-request":
      return eraOfEnvelope(message.meta, message.id);
    case "notification":
      return claimsModernEra(message)
        ? checkNotification(header, message)
        : eraOf(header, undefined);
    case "legacy-request":
      return isModernVersion(header) || message.method === "server/discover"
        ? eraOfEnvelope({}, message.id)
        : eraOf(header, message.id);
    case "response":
      return isModernVersion(header)
        ? refused(invalidRequest("clients of this revision send no responses"), undefined)
        : eraOf(header, undefined);
    case "batch":
      return eraOfBatch(header);
  }
}

/**
 * Compares the header of a request in a session with what `initialize` agreed on (docs/spec/legacy.md#http-sessions).
 * @param header undefined when the client sends none, as those before 2025-06-18 do
 * @param version undefined before `initialize` was answered
 */
export function checkSessionVersion(
  header: string | undefined,
  version: LegacyVersion | undefined,
): ProtocolFault | undefined {
  if (header === undefined || version === undefined || header === version) return undefined;
  return invalidRequest(
    `MCP-Protocol-Version is ${shown(header)}, but this session agreed on ${version}: send that`,
  );
}

function eraOf(header: string | undefined, id: RequestId | undefined): EraDecision {
  if (header === undefined || isLegacyVersion(header)) return legacy;
  if (isModernVersion(header)) return modern;
  const served = [...legacyVersions, ...modernVersions].join(", ");
  const detail = `MCP-Protocol-Version ${shown(header)} is unknown; known are ${served}`;
  return refused(invalidRequest(detail), id);
}

/** Batches exist in 2025-03-26 only, which is also what an absent header means (docs/spec/legacy.md#batches). */
function eraOfBatch(header: string | undefined): EraDecision {
  if (header === undefined || header === "2025-03-26") return legacy;
  return refused(invalidRequest("batches exist in protocol revision 2025-03-26 only"), undefined);
}

/** Refused when a field of the envelope is missing or malformed; the version is looked at later. */
function eraOfEnvelope(meta: Params, id: RequestId): EraDecision {
  const fault = findFieldFault(meta);
  return fault === undefined ? modern : refused(fault, id);
}

function claimsModernEra({ params }: NotificationMessage): boolean {
  return metaOf(params)?.[metaKeys.protocolVersion] !== undefined;
}

/** No notification is served in the modern era, so the header is all there is to check. */
function checkNotification(
  header: string | undefined,
  { params }: NotificationMessage,
): EraDecision {
  if (metaOf(params)?.[metaKeys.protocolVersion] === header) return eraOf(header, undefined);
  const message = "Header mismatch: MCP-Protocol-Version must be what params._meta says";
  return refused(createFault(errorCodes.headerMismatch, message), undefined);
}

function refused(fault: ProtocolFault, id: RequestId | undefined): EraDecision {
  return { kind: "refused", status: 400, fault, id };
}

function invalidRequest(detail: string): ProtocolFault {
  return createFault(errorCodes.invalidRequest, `Invalid request: ${detail}`);
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
