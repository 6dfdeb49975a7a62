import type { CallToolResult } from "../../protocol/tool-types.ts";
import type { SearchQuery } from "../upstreams.ts";
import { composeAnswer } from "./answer/compose-answer.ts";
import { findMatches, type SearchParts } from "./find-matches.ts";

/**
 * The result of `tool_search` (DF7–DF9): the same as text and as structured content, each within `query.charsMax`
 * characters. Never throws because of a query; an unusable one gives a result with `isError`.
 */
export async function answerSearch(
  query: SearchQuery,
  parts: SearchParts,
): Promise<CallToolResult> {
  const found = await findMatches(query, parts);
  if (found.kind === "problem") {
    return { content: [{ type: "text", text: found.text }], isError: true };
  }
  return composeAnswer(query, found, parts);
}
