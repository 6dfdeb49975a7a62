import type { SearchedTool } from "../../../src/upstream/snapshot.ts";

/** A tool as tests need it: `more` is what its server says of it. */
export function searched(
  server: string,
  tool: string,
  more: Partial<SearchedTool["listing"]> = {},
): SearchedTool {
  return {
    server,
    tool,
    listing: {
      name: `mcp__${server}__${tool}`,
      description: "",
      inputSchema: { type: "object" },
      ...more,
    },
  };
}
