import { createFault, errorCodes, isObject, isRequestId, type Params } from "./json-rpc.ts";
import type { ProtocolFault } from "./tool-types.ts";
import { isModernVersion, modernVersions, type ModernVersion } from "./versions.ts";

/** The reserved `_meta` keys of the modern revisions (modern.md, key shorthand). */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
} as const;

/** `params._meta` when it is an object. */
export function metaOf(params: Params | undefined): Params | undefined {
  if (params === undefined) return undefined;
  const { _meta: meta } = params;
  return isObject(meta) ? meta : undefined;
}

/** What a modern request says of its sender; nothing of it outlives the request. */
interface Envelope {
  readonly version: ModernVersion;
  readonly clientName: string | undefined;
}

export type EnvelopeReading =
  | { readonly kind: "envelope"; readonly envelope: Envelope }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/** Checks the fields first (-32602), then whether the version is served (-32022): modern.md section 9, steps 6 and 8. */
export function readEnvelope(meta: Params): EnvelopeReading {
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== "string") return envelopeFault(metaKeys.protocolVersion, "a string");
  if (!isObject(meta[metaKeys.clientCapabilities])) {
    return envelopeFault(metaKeys.clientCapabilities, "an object");
  }
  if (!isModernVersion(version)) return { kind: "fault", fault: unsupportedVersion(version) };
  return {
    kind: "envelope",
    envelope: { version, clientName: readName(meta[metaKeys.clientInfo]) },
  };
}

/** `clientInfo.name`, which is never required: a malformed value counts as absent (modern.md section 1). */
export function readName(clientInfo: unknown): string | undefined {
  return isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined;
}

/** `_meta.progressToken`, a string or an integer (modern.md section 1); anything else counts as absent. */
export function readProgressToken(params: Params | undefined): string | number | undefined {
  const token = metaOf(params)?.progressToken;
  return isRequestId(token) ? token : undefined;
}

function envelopeFault(key: string, type: string): EnvelopeReading {
  const message = `Invalid params: params._meta["${key}"] must be ${type}`;
  return { kind: "fault", fault: createFault(errorCodes.invalidParams, message) };
}

function unsupportedVersion(requested: string): ProtocolFault {
  return createFault(errorCodes.unsupportedProtocolVersion, "Unsupported protocol version", {
    supported: modernVersions,
    requested,
  });
}
