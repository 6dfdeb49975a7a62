import { discoverCacheHints } from "./cache-hints.ts";
import { modernResultMeta, serverInfoFor } from "./server-info.ts";
import { modernVersions, type LegacyVersion } from "./versions.ts";

/** Only what is really answered may be in here (modern.md section 2). */
export interface ServerCapabilities {
  readonly tools: Readonly<Record<string, never>>;
}

export const serverCapabilities: ServerCapabilities = { tools: {} };

export function encodeInitializeResult(version: LegacyVersion, instructions: string): string {
  return JSON.stringify({
    protocolVersion: version,
    capabilities: serverCapabilities,
    serverInfo: serverInfoFor(version),
    instructions: instructions || undefined,
  });
}

/** `supportedVersions` names modern revisions only: a legacy one could not be used with this request shape (modern.md section 2). */
export function encodeDiscoverResult(instructions: string): string {
  return JSON.stringify({
    resultType: "complete",
    supportedVersions: modernVersions,
    capabilities: serverCapabilities,
    instructions: instructions || undefined,
    ...discoverCacheHints,
    _meta: modernResultMeta,
  });
}
