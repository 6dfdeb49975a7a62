import { discoverCacheHints } from "./cache-hints.ts";
import { encodeComplete } from "./complete-result.ts";
import { encodeCapabilities, type OfferedCapabilities } from "./server-capabilities.ts";
import { serverInfoFor } from "./server-info.ts";
import { modernVersions, type LegacyVersion } from "./versions.ts";

export interface Handshake {
  readonly offered: OfferedCapabilities;
  /** Left out when empty. */
  readonly instructions: string;
}

export function encodeInitializeResult(
  version: LegacyVersion,
  { offered, instructions }: Handshake,
): string {
  return JSON.stringify({
    protocolVersion: version,
    capabilities: encodeCapabilities(offered, version),
    serverInfo: serverInfoFor(version),
    instructions: instructions || undefined,
  });
}

/** `supportedVersions` names modern revisions only: a legacy one could not be used with this request shape (docs/spec/modern.md#discovery). */
export function encodeDiscoverResult({ offered, instructions }: Handshake): string {
  const version = "2026-07-28";
  const members = {
    supportedVersions: modernVersions,
    capabilities: encodeCapabilities(offered, version),
    instructions: instructions || undefined,
  };
  return encodeComplete(members, version, { hints: discoverCacheHints });
}
