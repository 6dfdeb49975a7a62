import { isObject, type Params } from "./json-rpc.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

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
