import {
  searchPatternCharsMax,
  searchPatternMsMax,
  searchPatternTextCharsMax,
} from "../../../base/limits.ts";
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

/** Tools whose names, here or there, or whose description match; those by name first. Within 50 ms, or as many as that allows. */
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
  const byName: SearchedTool[] = [];
  const byText: SearchedTool[] = [];
  for (const [at, searched] of tools.entries()) {
    const { listing, tool } = searched;
    if (matcher.test(listing.name) || matcher.test(tool)) byName.push(searched);
    else if (matcher.test(listing.description.slice(0, searchPatternTextCharsMax))) {
      byText.push(searched);
    }
    if (performance.now() > end && at < tools.length - 1) {
      return { kind: "matched", matches: [...byName, ...byText], state: { isPartial: true } };
    }
  }
  return { kind: "matched", matches: [...byName, ...byText], state: { isPartial: false } };
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
