import type { CallToolResult } from "../../protocol/tool-types.ts";
import type { ServerInfo } from "../server-state.ts";
import type { BlockedTool } from "../snapshot.ts";
import type { SearchQuery } from "../upstreams.ts";
import { composeAnswer } from "./answer/compose-answer.ts";
import { findMatches } from "./find-matches.ts";
import type { ToolIndex } from "./tool-index.ts";

/** What a search may look at. */
export interface SearchParts {
  /** Callable tools only: what is denied, changed or pending is in `blocked` (DF9). */
  readonly index: ToolIndex;
  readonly servers: readonly ServerInfo[];
  readonly blocked: readonly BlockedTool[];
  /** Path of the index file, when it is written. */
  readonly indexFile?: string;
  /** Other names of tools (NM5): the name here, or undefined when there is none or more than one. */
  readonly resolve?: (name: string) => string | undefined;
}

/**
 * The result of `tool_search` (DF7–DF9): the same as text and as structured content, each within `query.charsMax`
 * characters. Never throws because of a query; one that cannot be used gives a result with `isError`.
 */
export function answerSearch(query: SearchQuery, parts: SearchParts): CallToolResult {
  const found = findMatches(query, parts);
  if (found.kind === "problem") {
    return { content: [{ type: "text", text: found.text }], isError: true };
  }
  return composeAnswer(query, found, parts);
}
