import { oneLine } from "../../base/cut-text.ts";
import { resultBytesPerChar } from "../../base/limits.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import { searchBlockedMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { BlockedTool, BlockReason } from "../snapshot.ts";
import type { SearchQuery } from "../upstreams.ts";
import type { Found, ToolMatch } from "./find-matches.ts";
import { argumentNames, summaryOf } from "./tool-fields.ts";
import type { HitExplanation } from "./tool-index.ts";
import { stopWords, termsOf, wordsOf } from "./words.ts";

/** A match for both forms of the reply. */
export interface Fitted {
  readonly shown: ShownMatch;
  readonly text: string;
  readonly detail: Detail;
}

interface Cost {
  readonly text: number;
  readonly json: number;
}

/**
 * The matches with as much detail as fits into `charsMax`, both as text and as structured content: the last matches
 * lose their schemas first, then their summaries, and are finally left out.
 */
export function fitMatches(
  matches: readonly ToolMatch[],
  wanted: Detail,
  isExplained: boolean,
  charsMax: number,
): readonly Fitted[] {
  const fitted = matches.map((match) => fit(match, wanted, isExplained));
  const costs = fitted.map((one) => costOf(one, wanted));
  const sum = { text: 0, json: 0 };
  for (const cost of costs) addTo(sum, cost, 1);
  for (let level = details.indexOf(wanted); level >= 0; level--) {
    for (let at = fitted.length - 1; at >= 0; at--) {
      if (sum.text <= charsMax && sum.json <= charsMax) return fitted;
      const match = matches[at];
      const cost = costs[at];
      if (match === undefined || cost === undefined) continue;
      addTo(sum, cost, -1);
      const lower = details[level - 1];
      if (lower === undefined) {
        fitted.pop();
        continue;
      }
      const smaller = fit(match, lower, isExplained);
      fitted[at] = smaller;
      costs[at] = costOf(smaller, wanted);
      addTo(sum, costs[at] ?? cost, 1);
    }
  }
  return fitted;
}

function fit(match: ToolMatch, detail: Detail, isExplained: boolean): Fitted {
  const shown = showMatch(match, detail, isExplained);
  return { shown, text: matchText(shown), detail };
}

/** The size of a match; one with less detail than requested is named a second time. */
function costOf({ shown, text, detail }: Fitted, wanted: Detail): Cost {
  const named = detail === wanted ? 0 : shown.name.length + 4;
  return { text: charsOf(text) + named, json: charsOf(JSON.stringify(shown)) + named };
}

function addTo(sum: { text: number; json: number }, cost: Cost, sign: 1 | -1): void {
  sum.text += sign * cost.text;
  sum.json += sign * cost.json;
}

/** Counts characters, or more when many of them take several bytes: results are bounded in both. */
export function charsOf(text: string): number {
  return Math.max(text.length, Math.ceil(Buffer.byteLength(text) / resultBytesPerChar)) + 1;
}

/**
 * A match as lines for the model. All lines but the first are indented, so that no description looks like another
 * match.
 */
function matchText(shown: ShownMatch): string {
  const { name, server, title, description, summary, inputSchema, annotations } = shown;
  const head = [`- ${name}`, `(server ${String(server)})`];
  if (typeof title === "string") head.push(title.replaceAll(/\s+/g, " "));
  if (isObject(annotations) && annotations["readOnlyHint"] === true) head.push("[read-only]");
  const lines = [head.join(" ")];
  for (const text of [description, summary]) {
    if (typeof text === "string" && text.trim() !== "") lines.push(...text.trim().split(/\r?\n/));
  }
  if (inputSchema !== undefined) lines.push(`input schema: ${JSON.stringify(inputSchema)}`);
  if (Array.isArray(shown["arguments"])) {
    const names = shown["arguments"].map((name) => oneLine(String(name)));
    lines.push(`arguments: ${names.join(", ") || "none"}`);
  }
  if (shown["explanation"] !== undefined) {
    lines.push(`score ${String(shown["score"])}: ${JSON.stringify(shown["explanation"])}`);
  }
  return escapeUnsafe(lines.join("\n    "));
}

/** Levels of detail, lowest first. */
const details = ["name", "summary", "schema"] as const;

type Detail = NonNullable<SearchQuery["detail"]>;

/** One element of `matches` in the structured content of a reply. */
type ShownMatch = Readonly<Record<string, unknown>> & { readonly name: string };

/** A match in the given detail; `explained` adds the parts of its score. */
function showMatch(match: ToolMatch, detail: Detail, explained: boolean): ShownMatch {
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
  { searched: { listing } }: ToolMatch,
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

/** A tool that must not be called. Only its name is shown, because its texts are not approved. */
export interface ShownBlocked {
  readonly name: string;
  readonly reason: BlockReason;
}

/** Blocked tools that match a query, best first. */
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

/** The number of query words in the name. */
function likenessOf({ name, tool }: BlockedTool, parsed: Found["parsed"]): number {
  switch (parsed.kind) {
    case "select":
      return Number(parsed.names.includes(name) || parsed.names.includes(tool));
    case "pattern":
      // Patterns only search callable tools.
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
