import type { ToolListing } from "../../protocol/tool-types.ts";

/** About how many tokens a definition costs a model: a quarter of the characters of its compact JSON (DF1). */
export function estimateTokens(listing: ToolListing): number {
  return Math.ceil(JSON.stringify(listing).length / 4);
}
