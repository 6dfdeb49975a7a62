import { toolsListCacheHints, type CacheHints } from "./cache-hints.ts";
import { modernResultMeta } from "./server-info.ts";
import type { ToolAnnotations, ToolListing } from "./tool-types.ts";
import { isAtLeast, isModernVersion, type ProtocolVersion } from "./versions.ts";

/** The result of `tools/list` as JSON text, with the fields that the revision knows (legacy.md section 5, rules 2 to 4). */
export function encodeToolsListResult(
  listings: readonly ToolListing[],
  version: ProtocolVersion,
  hints: CacheHints = toolsListCacheHints,
): string {
  const tools = listings.map((listing) => shapeListing(listing, version));
  if (!isModernVersion(version)) return JSON.stringify({ tools });
  return JSON.stringify({ resultType: "complete", tools, ...hints, _meta: modernResultMeta });
}

function shapeListing(listing: ToolListing, version: ProtocolVersion): Record<string, unknown> {
  const { name, title, description, inputSchema, outputSchema, annotations } = listing;
  if (!isAtLeast(version, "2025-03-26")) return { name, description, inputSchema };
  if (!isAtLeast(version, "2025-06-18")) {
    return { name, description, inputSchema, annotations: withTitle(annotations, title) };
  }
  return { name, title, description, inputSchema, outputSchema, annotations };
}

/** 2025-03-26 has no `title` beside the annotations, so it moves into them instead of vanishing. */
function withTitle(
  annotations: ToolAnnotations | undefined,
  title: string | undefined,
): ToolAnnotations | undefined {
  const kept = annotations?.title || title;
  return kept === undefined ? annotations : { ...annotations, title: kept };
}
