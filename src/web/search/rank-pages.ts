import type { EngineList } from "./engine-list.ts";
import { mergeFields, mergeLists, pageScore, type SeenPage } from "./merge-lists.ts";
import { compareTexts } from "./page-key.ts";
import { isOfSites, type Query } from "./query.ts";
import type { SearchResult } from "./search-reply.ts";

/** Results that are shown. */
const shownResultsMax = 10;

export interface RankedPages {
  /** The best ones. */
  readonly results: readonly SearchResult[];
  /** Distinct pages. */
  readonly found: number;
}

interface ScoredPage {
  readonly seen: SeenPage;
  readonly fields: ReturnType<typeof mergeFields>;
  readonly score: number;
}

/** One list of all lists. The same lists give the same result, byte for byte, in whatever order they come. */
export function rankPages(lists: readonly EngineList[], query: Query): RankedPages {
  const pages = mergeLists(lists)
    .map((seen): ScoredPage => ({
      seen,
      fields: mergeFields(seen, query.tokens),
      score: pageScore(seen),
    }))
    .filter(({ fields }) => isOfSites(fields.url, query))
    .sort(comparePages);
  return { results: pages.slice(0, shownResultsMax).map(toResult), found: pages.length };
}

function toResult({ seen, fields, score }: ScoredPage, index: number): SearchResult {
  const { title, url, snippet, date } = fields;
  return {
    rank: index + 1,
    title,
    url: url.href,
    snippet,
    ...(date === undefined ? {} : { date }),
    engines: seen.map(({ list }) => list.engine),
    score,
  };
}

/** Higher score; more providers; more engines; best position; fixed order of engines; address. */
function comparePages(a: ScoredPage, b: ScoredPage): number {
  return (
    b.score - a.score ||
    providersOf(b.seen) - providersOf(a.seen) ||
    b.seen.length - a.seen.length ||
    bestPosition(a.seen) - bestPosition(b.seen) ||
    compareOrders(a.seen, b.seen) ||
    compareTexts(a.fields.url.href, b.fields.url.href)
  );
}

function providersOf(seen: SeenPage): number {
  return new Set(seen.map(({ list }) => list.provider)).size;
}

function bestPosition(seen: SeenPage): number {
  return Math.min(...seen.map(({ page }) => page.position));
}

/** Engine by engine. */
function compareOrders(a: SeenPage, b: SeenPage): number {
  for (const [index, { list }] of a.entries()) {
    const difference = list.order - (b[index]?.list.order ?? list.order);
    if (difference !== 0) return difference;
  }
  return 0;
}
