import type { CacheHints } from "./cache-hints.ts";
import { metaKeys } from "./envelope.ts";
import type { Params } from "./json-rpc.ts";
import { modernResultMeta } from "./server-info.ts";
import { isModernVersion, type ProtocolVersion } from "./versions.ts";

export interface ResultExtras {
  /** For the cacheable methods (docs/spec/modern.md#caching). */
  readonly hints?: CacheHints;
  /** `_meta` that the handler gave. */
  readonly meta?: Params | undefined;
}

/**
 * A complete result as JSON text: its own members, and the members that the era requires. The server info is
 * always scorpiox-code's, whatever a handler or an upstream server wrote there (docs/spec/modern.md#results;
 * SH4).
 */
export function encodeComplete(
  members: Params,
  version: ProtocolVersion,
  { hints, meta }: ResultExtras = {},
): string {
  if (!isModernVersion(version)) return JSON.stringify({ ...members, _meta: legacyMeta(meta) });
  const _meta = meta === undefined ? modernResultMeta : { ...meta, ...modernResultMeta };
  return JSON.stringify({ resultType: "complete", ...members, ...hints, _meta });
}

function legacyMeta(meta: Params | undefined): Params | undefined {
  if (meta === undefined || !(metaKeys.serverInfo in meta)) return meta;
  const others = Object.entries(meta).filter(([key]) => key !== metaKeys.serverInfo);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}
