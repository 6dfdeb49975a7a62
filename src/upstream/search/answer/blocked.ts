import { searchBlockedMax } from "../../../base/upstream-limits.ts";
import type { BlockedTool, BlockReason } from "../../snapshot.ts";
import type { Found } from "../find-matches.ts";
import { stopWords } from "../stop-words.ts";
import { termsOf, wordsOf } from "../words.ts";

/** A tool that is there and may not be called. Only its name is shown: its texts are what was not approved. */
export interface ShownBlocked {
  readonly name: string;
  readonly reason: BlockReason;
}

/** Blocked tools that a query may have meant, the likeliest first. */
export function blockedMatches(
  { parsed, server }: Found,
  blocked: readonly BlockedTool[],
): readonly ShownBlocked[] {
  const likely = blocked.flatMap((tool) => {
    const facet = server?.toLowerCase() ?? "";
    const isElsewhere = !tool.server.toLowerCase().startsWith(facet);
    const likeness = isElsewhere || tool.isForApps === true ? 0 : likenessOf(tool, parsed);
    return likeness === 0 ? [] : [{ tool, likeness }];
  });
  likely.sort((a, b) => b.likeness - a.likeness || (a.tool.name < b.tool.name ? -1 : 1));
  return likely.slice(0, searchBlockedMax).map(({ tool: { name, reason } }) => ({ name, reason }));
}

/** How many words of the query are in the name. */
function likenessOf({ name, tool }: BlockedTool, parsed: Found["parsed"]): number {
  switch (parsed.kind) {
    case "select":
      return Number(parsed.names.includes(name) || parsed.names.includes(tool));
    case "pattern":
      // What a pattern is looked for in are tools that may be called.
      return 0;
    case "words": {
      if (parsed.words.length === 0) return 1;
      const terms = new Set(termsOf(name));
      const words = parsed.words.flatMap(({ text }) => wordsOf(text));
      return words.filter((word) => !stopWords.has(word) && termsOf(word).some((t) => terms.has(t)))
        .length;
    }
  }
}
