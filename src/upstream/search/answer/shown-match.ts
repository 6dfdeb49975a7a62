import type { SearchQuery } from "../../upstreams.ts";
import { summaryOf } from "../summary.ts";
import { argumentNames } from "../tool-fields.ts";
import type { HitExplanation } from "../tool-index.ts";
import type { Match } from "../find-matches.ts";

/** How much of a tool is shown, least first. */
export const details = ["name", "summary", "schema"] as const;

export type Detail = NonNullable<SearchQuery["detail"]>;

/** One element of `matches` in the structured content of a reply. */
export type ShownMatch = Readonly<Record<string, unknown>> & { readonly name: string };

/** A match with as much as `detail` says; `explained` adds what its score is made of. */
export function showMatch(match: Match, detail: Detail, explained: boolean): ShownMatch {
  const { server, listing } = match.searched;
  const { score, matched, explain } = match;
  return {
    name: listing.name,
    server,
    ...shownParts(match, detail),
    ...(score === undefined ? {} : { score: rounded(score) }),
    ...(matched === undefined ? {} : { matched }),
    ...(explained && explain !== undefined ? { explanation: explanationOf(explain()) } : {}),
  };
}

function shownParts(
  { searched: { listing } }: Match,
  detail: Detail,
): Readonly<Record<string, unknown>> {
  const { title, description, inputSchema, annotations } = listing;
  switch (detail) {
    case "name":
      return {};
    case "summary":
      return { summary: summaryOf(listing), arguments: argumentNames(inputSchema).slice(0, 30) };
    case "schema":
      return {
        ...(title === undefined ? {} : { title }),
        description,
        inputSchema,
        ...(annotations === undefined ? {} : { annotations }),
      };
  }
}

function explanationOf({ terms, boost }: HitExplanation): unknown {
  return {
    terms: terms.map(({ word, term, fields }) => ({
      word,
      ...(term === word ? {} : { term }),
      fields: Object.fromEntries([...fields].map(([field, part]) => [field, rounded(part)])),
    })),
    factor: rounded(boost.factor),
    reasons: boost.reasons,
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
