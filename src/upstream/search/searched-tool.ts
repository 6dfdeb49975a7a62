import type { ToolListing } from "../../protocol/tool-types.ts";

/** A callable tool of another server, as a search looks at it. */
export interface SearchedTool {
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  /** With its name here, cleaned: what a client is shown. */
  readonly listing: ToolListing;
}
