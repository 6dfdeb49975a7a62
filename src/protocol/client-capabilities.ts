import { isObject, type Params } from "./json-rpc.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

/** Ids of the extensions that the core serves; they sit in `capabilities.extensions` (modern.md section 2). */
export const extensionIds = {
  tasks: "io.modelcontextprotocol/tasks",
  skills: "io.modelcontextprotocol/skills",
  apps: "io.modelcontextprotocol/ui",
} as const;

/** The one kind of page that MCP Apps know. */
const appPage = "text/html;profile=mcp-app";

/** A host of apps: one that names the kind of their pages, or none of the kinds that are known. */
export type AppSupport = "pages" | "unnamed";

/** What a client says it can be asked for, and which extensions it understands. */
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
 * Reads `capabilities` of `initialize` or of a modern envelope. Members unknown to the revision are treated as absent;
 * `elicitation: {}` means form mode only (modern.md section 6, legacy.md section 2).
 */
export function readClientCapabilities(
  declared: unknown,
  version: ProtocolVersion,
): ClientCapabilities {
  if (!isObject(declared) || isEmpty(declared)) return noClientCapabilities;
  const { elicitation, sampling, roots, extensions } = declared;
  const isRecent = isAtLeast(version, "2025-11-25");
  const hasModes =
    isObject(elicitation) && (isObject(elicitation.form) || isObject(elicitation.url));
  // Older revisions have no `_meta` by which a host could keep tools for apps from its model.
  const apps = isAtLeast(version, "2025-06-18") ? readApps(extensions) : undefined;
  const elicits = isObject(elicitation) && isAtLeast(version, "2025-06-18");
  return {
    elicitationForm: elicits && (!isRecent || !hasModes || isObject(elicitation.form)),
    elicitationUrl: elicits && isRecent && isObject(elicitation.url),
    sampling: isObject(sampling),
    samplingTools: isRecent && isObject(sampling) && isObject(sampling.tools),
    roots: isObject(roots),
    tasks:
      isAtLeast(version, "2026-07-28") &&
      isObject(extensions) &&
      isObject(extensions[extensionIds.tasks]),
    ...(apps === undefined ? {} : { apps }),
  };
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
