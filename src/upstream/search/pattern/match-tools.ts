import {
  searchPatternCharsMax,
  searchPatternMsMax,
  searchPatternTextCharsMax,
} from "../../../base/upstream-limits.ts";
import type { SearchedTool } from "../searched-tool.ts";
import { PatternMatcher } from "./pattern-matcher.ts";
import { PatternError } from "./pattern-node.ts";

export type PatternMatches =
  | {
      readonly kind: "matched";
      readonly matches: readonly SearchedTool[];
      readonly state: { readonly isPartial: boolean };
    }
  | { readonly kind: "problem"; readonly text: string };

/**
 * Tools whose name, here or there, matches, then those whose description does. Within 50 ms, or as many as that allows:
 * all names are looked at before the first description.
 */
export function matchPattern(
  tools: readonly SearchedTool[],
  { source, flags }: { readonly source: string; readonly flags: string },
): PatternMatches {
  const matcher = createMatcher(source, flags);
  if (typeof matcher === "string") {
    const text = `The pattern /${source.slice(0, 60)}/ ${matcher}. Search with plain words, or with a simpler pattern.`;
    return { kind: "problem", text };
  }
  const end = performance.now() + searchPatternMsMax;
  const matches = new Set<SearchedTool>();
  const looks: readonly ((searched: SearchedTool) => boolean)[] = [
    ({ listing, tool }) => matcher.test(listing.name) || matcher.test(tool),
    ({ listing }) => matcher.test(listing.description.slice(0, searchPatternTextCharsMax)),
  ];
  for (const look of looks) {
    for (const searched of tools) {
      if (performance.now() > end) return matched(matches, true);
      if (!matches.has(searched) && look(searched)) matches.add(searched);
    }
  }
  return matched(matches, false);
}

function matched(matches: ReadonlySet<SearchedTool>, isPartial: boolean): PatternMatches {
  return { kind: "matched", matches: [...matches], state: { isPartial } };
}

function createMatcher(source: string, flags: string): PatternMatcher | string {
  if (source.length > searchPatternCharsMax) {
    return `has more than ${searchPatternCharsMax} characters`;
  }
  try {
    return new PatternMatcher(source, flags);
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
