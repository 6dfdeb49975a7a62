import type { Params } from "./json-rpc.ts";
import { type CacheHints, shapeIcons, toolsListCacheHints } from "./list-parts.ts";
import { encodeComplete } from "./result-codec.ts";
import type { ToolAnnotations, ToolListing } from "./tool-types.ts";
import { isAtLeast, isModernVersion, type ProtocolVersion } from "./versions.ts";

export interface ListExtras {
  readonly hints?: CacheHints | undefined;
  /** Where the next page begins. */
  readonly nextCursor?: string | undefined;
}

/** The result of `tools/list` as JSON text, with the fields that the revision knows (SH2–SH4). */
export function encodeToolsListResult(
  listings: readonly ToolListing[],
  version: ProtocolVersion,
  { hints = toolsListCacheHints, nextCursor }: ListExtras = {},
): string {
  const tools = listings.map((listing) => shapeListing(listing, version));
  return encodeComplete({ tools, nextCursor }, version, { hints });
}

function shapeListing(listing: ToolListing, version: ProtocolVersion): Params {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = listing;
  if (!isAtLeast(version, "2025-03-26")) return { name, description, inputSchema };
  if (!isAtLeast(version, "2025-06-18")) {
    return { name, description, inputSchema, annotations: withTitle(annotations, title) };
  }
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema: shownOutputSchema(outputSchema, version),
    annotations,
    icons: shapeIcons(listing.icons, version),
    _meta,
  };
}

/** Legacy revisions know objects only, so any other schema would promise data that is not sent. */
function shownOutputSchema(
  outputSchema: Params | undefined,
  version: ProtocolVersion,
): Params | undefined {
  return isModernVersion(version) || outputSchema?.type === "object" ? outputSchema : undefined;
}

/** 2025-03-26 has no `title` beside the annotations, so it moves into them instead of vanishing. */
function withTitle(
  annotations: ToolAnnotations | undefined,
  title: string | undefined,
): ToolAnnotations | undefined {
  const kept = annotations?.title || title;
  return kept === undefined ? annotations : { ...annotations, title: kept };
}
