import { discoverCacheHints } from "./cache-hints.ts";
import { modernResultMeta, serverInfoFor } from "./server-info.ts";
import { modernVersions, type LegacyVersion } from "./versions.ts";

/** Only what is really answered may be declared (modern.md section 2). No list of ours changes, so no `listChanged`. */
const modernCapabilities = { tools: {} } as const;
/** `logging` because `logging/setLevel` exists only in these revisions and is answered. */
const legacyCapabilities = { logging: {}, tools: {} } as const;

export function encodeInitializeResult(version: LegacyVersion, instructions: string): string {
  return JSON.stringify({
    protocolVersion: version,
    capabilities: legacyCapabilities,
    serverInfo: serverInfoFor(version),
    instructions: instructions || undefined,
  });
}

/** `supportedVersions` names modern revisions only: a legacy one could not be used with this request shape (modern.md section 2). */
export function encodeDiscoverResult(instructions: string): string {
  return JSON.stringify({
    resultType: "complete",
    supportedVersions: modernVersions,
    capabilities: modernCapabilities,
    instructions: instructions || undefined,
    ...discoverCacheHints,
    _meta: modernResultMeta,
  });
}
