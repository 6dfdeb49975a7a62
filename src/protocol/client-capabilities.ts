import { isObject } from "../base/values.ts";
import {
  createFault,
  errorCodes,
  isLogLevel,
  type LogLevel,
  logLevels,
  type Params,
  type ProtocolFault,
} from "./json-rpc.ts";
import {
  metaKeys,
  isAtLeast,
  isModernVersion,
  modernVersions,
  type ModernVersion,
  type ProtocolVersion,
} from "./message.ts";

/** Ids of the extensions that the core serves; they sit in `capabilities.extensions` (docs/spec/modern.md#discovery). */
export const extensionIds = {
  tasks: "io.modelcontextprotocol/tasks",
  skills: "io.modelcontextprotocol/skills",
  apps: "io.modelcontextprotocol/ui",
} as const;

/** The one kind of page that MCP Apps know. */
const appPage = "text/html;profile=mcp-app";

/** A host of apps: one that names the kind of their pages, or none of the kinds that are known. */
export type AppSupport = "pages" | "unnamed";

/** The requests that a client says it accepts, and the extensions that it understands. */
export interface ClientCapabilities {
  readonly elicitationForm: boolean;
  readonly elicitationUrl: boolean;
  readonly sampling: boolean;
  /** `sampling.tools`: its model may be given tools. */
  readonly samplingTools: boolean;
  readonly roots: boolean;
  /** `io.modelcontextprotocol/tasks`: a call may be answered with an MCP task. */
  readonly tasks: boolean;
  /** `io.modelcontextprotocol/ui`: it shows the apps of servers; absent = it does not. */
  readonly apps?: AppSupport;
}

export const noClientCapabilities: ClientCapabilities = {
  elicitationForm: false,
  elicitationUrl: false,
  sampling: false,
  samplingTools: false,
  roots: false,
  tasks: false,
};

/**
 * Reads `capabilities` of `initialize` or of a modern envelope. Members unknown to the revision are treated as
 * absent; `elicitation: {}` means form mode only (docs/spec/modern.md#questions, docs/spec/legacy.md#revisions).
 */
export function readClientCapabilities(
  declared: unknown,
  version: ProtocolVersion,
): ClientCapabilities {
  if (!isObject(declared) || isEmpty(declared)) return noClientCapabilities;
  const { elicitation, sampling, roots, extensions } = declared;
  // Older revisions have no `_meta` by which a host could keep tools for apps from its model.
  const apps = isAtLeast(version, "2025-06-18") ? readApps(extensions) : undefined;
  return {
    elicitationForm: elicitsForms(elicitation, version),
    elicitationUrl: hasMember(elicitation, "url") && isAtLeast(version, "2025-11-25"),
    sampling: isObject(sampling),
    samplingTools: hasMember(sampling, "tools") && isAtLeast(version, "2025-11-25"),
    roots: isObject(roots),
    tasks: hasMember(extensions, extensionIds.tasks) && isAtLeast(version, "2026-07-28"),
    ...(apps === undefined ? {} : { apps }),
  };
}

/** Older revisions have forms alone; of those with modes, a form is meant where no mode is named. */
function elicitsForms(elicitation: unknown, version: ProtocolVersion): boolean {
  if (!isObject(elicitation) || !isAtLeast(version, "2025-06-18")) return false;
  if (!isAtLeast(version, "2025-11-25")) return true;
  return isObject(elicitation.form) || !isObject(elicitation.url);
}

/** True when `declared` is an object in which the member `name` is one, too: `{}` declares a capability. */
function hasMember(declared: unknown, name: string): boolean {
  return isObject(declared) && isObject(declared[name]);
}

function readApps(extensions: unknown): AppSupport | undefined {
  const declared = isObject(extensions) ? extensions[extensionIds.apps] : undefined;
  if (!isObject(declared)) return undefined;
  const { mimeTypes } = declared;
  return Array.isArray(mimeTypes) && mimeTypes.includes(appPage) ? "pages" : "unnamed";
}

/** `extensions` for an upstream server: the client's declarations, and nothing else of it. */
export function appExtension(apps: AppSupport | undefined): Params {
  if (apps === undefined) return {};
  const settings = apps === "pages" ? { mimeTypes: [appPage] } : {};
  return { extensions: { [extensionIds.apps]: settings } };
}

function isEmpty(object: Readonly<Record<string, unknown>>): boolean {
  for (const _ in object) return false;
  return true;
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
  if (logLevel !== undefined && !isLogLevel(logLevel))
    return { kind: "fault", fault: badLogLevel() };
  const capabilities = readClientCapabilities(meta[metaKeys.clientCapabilities], version);
  const clientName = readName(meta[metaKeys.clientInfo]);
  return { kind: "envelope", envelope: { version, capabilities, clientName, logLevel } };
}

/** Only the faults of the fields themselves (-32602), as `readEnvelope` finds them where no header is in the way. */
export function findFieldFault(meta: Params): ProtocolFault | undefined {
  const missing = findMissing(meta);
  if (missing !== undefined || !isModernVersion(meta[metaKeys.protocolVersion])) return missing;
  const logLevel = meta[metaKeys.logLevel];
  return logLevel === undefined || isLogLevel(logLevel) ? undefined : badLogLevel();
}

function findMissing(meta: Params): ProtocolFault | undefined {
  if (typeof meta[metaKeys.protocolVersion] !== "string") return noVersion;
  return isObject(meta[metaKeys.clientCapabilities]) ? undefined : noCapabilities;
}

/** `clientInfo.name`, which is never required: a malformed value is treated as absent (docs/spec/modern.md#envelope). */
export function readName(clientInfo: unknown): string | undefined {
  return isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined;
}

function fieldFault(key: string, type: string): ProtocolFault {
  const message = `Invalid params: params._meta["${key}"] must be ${type}`;
  return createFault(errorCodes.invalidParams, message);
}

const noVersion = fieldFault(metaKeys.protocolVersion, "a string");
const noCapabilities = fieldFault(metaKeys.clientCapabilities, "an object");

/** Made when it is needed, like all texts that join words: the first `join` takes a start 85 µs. */
function badLogLevel(): ProtocolFault {
  return fieldFault(metaKeys.logLevel, `one of ${logLevels.join(", ")}`);
}

function unsupportedVersion(requested: unknown): ProtocolFault {
  return createFault(errorCodes.unsupportedProtocolVersion, "Unsupported protocol version", {
    supported: modernVersions,
    requested,
  });
}
