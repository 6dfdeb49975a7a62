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
import type { BlockedTool } from "../snapshot.ts";
import type { SearchQuery } from "../upstreams.ts";
import type { SearchedTool } from "./tool-fields.ts";
import type { Hit, ToolIndex } from "./tool-index.ts";
import { type ParsedQuery, parseQuery, type QueryWord, termsOf } from "./words.ts";

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

/** A tool in a reply; what was looked up by its name has no score. */
export interface Match extends Partial<Pick<Hit, "score" | "matched" | "explain">> {
  readonly searched: SearchedTool;
}

export interface Found {
  readonly kind: "found";
  readonly matches: readonly Match[];
  /** Further tools that matched. */
  readonly more: number;
  /** Names that were asked for and that nothing has. */
  readonly unknown: readonly { readonly name: string; readonly nearest: readonly string[] }[];
  /** The one server that was asked for, as it was written. */
  readonly server?: string;
  /** True: time was up before all tools were looked at. */
  readonly isPartial: boolean;
  readonly parsed: ParsedQuery;
}

/** One sentence: why the query cannot be used. */
export interface Problem {
  readonly kind: "problem";
  readonly text: string;
}

/** What a query finds among the callable tools. */
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

/** Without words a facet shows all that it has. */
function searchWords(
  words: readonly QueryWord[],
  hasFacet: boolean,
  { index }: SearchParts,
  isWanted: (tool: SearchedTool) => boolean,
): readonly (Match & { readonly server: string })[] {
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

/** Exactly these, in this order; so many as can be shown, since each that nothing has is looked for among all names. */
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

/** Servers of exactly this name in any letter case, or else those that begin with it. */
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

/** Whether a query names a server with its own words. */
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
 * Tools whose name, here or there, matches, then those whose description does. Within 50 ms, or as many as that allows:
 * all names are looked at before the first description.
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
  /** Undefined: all are equal. */
  readonly score?: number;
}

/**
 * The first `limit` of `ranked`, at most three of one server as long as others have something comparable: one large
 * server must not hide the rest, nor what nearly matches what matches.
 *
 * @param isMeant servers that the query names: of them as many as there are
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
    // The best of those that were passed over comes first, when what is left is much worse.
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

/** Of the score of what is passed over, which another server's tool must have to come before it. */
const comparableShare = 0.7;

function isComparable({ score: own = 1 }: Item, { score: passed = 1 }: Item): boolean {
  return own >= passed * comparableShare;
}
