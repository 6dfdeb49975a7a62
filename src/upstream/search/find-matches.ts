import { type LinearPattern, linearPattern, PatternError } from "../../base/linear-pattern.ts";
import {
  searchLimitDefault,
  searchLimitMax,
  searchPatternCharsMax,
  searchPatternMsMax,
  searchPatternTextCharsMax,
  searchPerServerMax,
} from "../../base/upstream-limits.ts";
import { nearestTools } from "../names/nearest-tools.ts";
import type { ServerInfo } from "../server-state.ts";
import type { BlockedTool, SearchedTool } from "../snapshot.ts";
import type { SearchQuery } from "../upstreams.ts";
import type { Hit, ToolIndex } from "./tool-index.ts";
import { type ParsedQuery, parseQuery, type QueryWord, termsOf } from "./words.ts";

/** The data that a search uses. */
export interface SearchParts {
  /** Callable tools only; denied, changed and pending ones are in `blocked` (DF9). */
  readonly index: ToolIndex;
  readonly servers: readonly ServerInfo[];
  readonly blocked: readonly BlockedTool[];
  /** Path of the index file, when it is written. */
  readonly indexFile?: string;
  /** Resolves an alias (NM5) to the current name; undefined when it is unknown or ambiguous. */
  readonly resolve?: (name: string) => string | undefined;
}

/** A tool in a reply; one that was selected by its name has no score. */
export interface ToolMatch extends Partial<Pick<Hit, "score" | "matched" | "explain">> {
  readonly searched: SearchedTool;
}

export interface Found {
  readonly kind: "found";
  readonly matches: readonly ToolMatch[];
  /** Further tools that matched. */
  readonly more: number;
  /** Selected names that no tool has. */
  readonly unknown: readonly { readonly name: string; readonly nearest: readonly string[] }[];
  /** The server of the query, as written. */
  readonly server?: string;
  /** True when the time limit was reached before all tools were searched. */
  readonly isPartial: boolean;
  readonly parsed: ParsedQuery;
}

/** One sentence that explains why the query cannot be used. */
export interface Problem {
  readonly kind: "problem";
  readonly text: string;
}

/** Searches the callable tools. */
export async function findMatches(
  query: SearchQuery,
  parts: SearchParts,
): Promise<Found | Problem> {
  const parsed = parseQuery(query.query);
  const limit = Math.min(Math.max(1, query.limit ?? searchLimitDefault), searchLimitMax);
  if (parsed.kind === "select") return selectTools(parsed, parts);
  const facet = query.server ?? (parsed.kind === "words" ? parsed.server : undefined);
  const meant = facet === undefined ? undefined : serversMeant(facet, parts);
  const isWanted = ({ server, listing }: SearchedTool): boolean =>
    (meant?.has(server) ?? true) &&
    (query.readOnly !== true || listing.annotations?.readOnlyHint === true);
  const asked = facet === undefined ? {} : { server: facet };
  if (parsed.kind === "pattern") {
    const wanted = parts.index.tools.filter(isWanted);
    const found = await matchPattern(wanted, parsed);
    if (found.kind === "problem") return found;
    return { kind: "found", parsed, ...asked, ...page(found.matches, limit), ...found.state };
  }
  const hits = searchWords(parsed.words, facet !== undefined, parts, isWanted);
  const named = serversNamed(parsed.words);
  const shown = firstPage(hits, limit, (name) => facet !== undefined || named(name));
  const more = hits.length - shown.length;
  return { kind: "found", parsed, ...asked, matches: shown, more, unknown: [], isPartial: false };
}

/** Without words, a facet matches all tools of its server. */
function searchWords(
  words: readonly QueryWord[],
  hasFacet: boolean,
  { index }: SearchParts,
  isWanted: (tool: SearchedTool) => boolean,
): readonly (ToolMatch & { readonly server: string })[] {
  if (words.length > 0) return index.search(words, isWanted);
  if (!hasFacet) return [];
  return index.tools.filter(isWanted).map((searched) => ({ searched, server: searched.server }));
}

function page(
  tools: readonly SearchedTool[],
  limit: number,
): Pick<Found, "matches" | "more" | "unknown"> {
  const matches = tools.slice(0, limit).map((searched) => ({ searched }));
  return { matches, more: tools.length - matches.length, unknown: [] };
}

/**
 * Exactly the selected tools, in this order. Limited to those that can be shown, since each unknown name is compared
 * with all names.
 */
function selectTools(
  parsed: Extract<ParsedQuery, { kind: "select" }>,
  { index, blocked, resolve }: SearchParts,
): Found {
  const byName = new Map(index.tools.map((searched) => [searched.listing.name, searched]));
  const isBlocked = new Set(blocked.map(({ name }) => name));
  const matches = new Set<SearchedTool>();
  const unknown: Found["unknown"][number][] = [];
  const names = parsed.names.slice(0, searchLimitMax);
  for (const name of names) {
    const searched = byName.get(name) ?? byName.get(resolve?.(name) ?? "");
    if (searched !== undefined) matches.add(searched);
    else if (!isBlocked.has(name)) {
      const shownName = name.slice(0, 200);
      unknown.push({ name: shownName, nearest: nearestTools(name, [...byName.keys()]) });
    }
  }
  const shown = [...matches].map((searched) => ({ searched }));
  const more = parsed.names.length - names.length;
  return { kind: "found", parsed, matches: shown, more, unknown, isPartial: false };
}

/** Servers with this name, case-insensitive, or else those whose names begin with it. */
function serversMeant(facet: string, { servers, index }: SearchParts): ReadonlySet<string> {
  const wanted = facet.toLowerCase();
  const names = new Set([
    ...servers.map(({ name }) => name),
    ...index.tools.map(({ server }) => server),
  ]);
  const equal = [...names].filter((name) => name.toLowerCase() === wanted);
  if (equal.length > 0) return new Set(equal);
  return new Set([...names].filter((name) => name.toLowerCase().startsWith(wanted)));
}

/** Whether the words of a query name a server. */
function serversNamed(words: readonly QueryWord[]): (server: string) => boolean {
  const terms = new Set(words.flatMap(({ text }) => termsOf(text)));
  return (server) => {
    const name = termsOf(server);
    return name.length > 0 && name.every((term) => terms.has(term));
  };
}

type PatternMatches =
  | {
      readonly kind: "matched";
      readonly matches: readonly SearchedTool[];
      readonly state: { readonly isPartial: boolean };
    }
  | { readonly kind: "problem"; readonly text: string };

/**
 * Tools whose current or original name matches, then those whose description does. Stops after 50 ms; all names are
 * searched before the first description.
 */
export async function matchPattern(
  tools: readonly SearchedTool[],
  { source, flags }: { readonly source: string; readonly flags: string },
): Promise<PatternMatches> {
  const matcher = await createMatcher(source, flags);
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

async function createMatcher(source: string, flags: string): Promise<LinearPattern | string> {
  if (source.length > searchPatternCharsMax) {
    return `has more than ${searchPatternCharsMax} characters`;
  }
  try {
    return await linearPattern(source, flags);
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

interface Item {
  readonly server: string;
  /** Undefined when all are equal. */
  readonly score?: number;
}

/**
 * The first `limit` of `ranked`, with at most three of one server while others have comparable matches: one large
 * server must not hide the rest, nor near matches the real ones.
 *
 * @param isMeant servers that the query names, which have no such limit
 */
function firstPage<Hit extends Item>(
  ranked: readonly Hit[],
  limit: number,
  isMeant: (server: string) => boolean,
): readonly Hit[] {
  const page: Hit[] = [];
  const passed: Hit[] = [];
  const counts = new Map<string, number>();
  for (const item of ranked) {
    // The best tool that was passed over comes first when the remaining ones are much worse.
    while (passed[0] !== undefined && page.length < limit && !isComparable(item, passed[0])) {
      page.push(...passed.splice(0, 1));
    }
    if (page.length === limit) return page;
    const count = counts.get(item.server) ?? 0;
    counts.set(item.server, count + 1);
    if (count < searchPerServerMax || isMeant(item.server)) page.push(item);
    else passed.push(item);
  }
  return [...page, ...passed].slice(0, limit);
}

/** The share of a passed-over tool's score that a tool of a different server needs to precede it. */
const comparableShare = 0.7;

function isComparable({ score: own = 1 }: Item, { score: passed = 1 }: Item): boolean {
  return own >= passed * comparableShare;
}
