import type { EngineList, ListedPage } from "./engine-list.ts";
import { compareTexts } from "./page-key.ts";
import { isOfSites, type Query, tokensOf } from "./query.ts";
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

/** A page where one engine ranks it. */
interface Sighting {
  readonly list: EngineList;
  readonly page: ListedPage;
}

/** One page, with its best place in each list; in the fixed order of engines. */
type SeenPage = readonly Sighting[];

/**
 * Brings the places of each page in all lists together. Of an engine that has a page twice, the first place is used.
 * The result does not depend on the order of `lists`.
 */
export function mergeLists(lists: readonly EngineList[]): SeenPage[] {
  const sightings = lists
    .toSorted((a, b) => a.order - b.order)
    .flatMap((list) => list.pages.map((page): Sighting => ({ list, page })));
  const byKey = Map.groupBy(sightings, ({ page }) => page.key);
  const keys = [...byKey.keys()].sort(compareTexts);
  const families = Map.groupBy(keys, (key) => key.toLowerCase());
  return [...families.values()].flatMap((family) =>
    joinByTitle(family.map((key) => byKey.get(key) ?? [])).map(firstOfEachEngine),
  );
}

/** Keys that differ in case only are one page when they share a title, ignoring case. */
function joinByTitle(variants: readonly (readonly Sighting[])[]): Sighting[][] {
  const groups: { readonly titles: Set<string>; readonly sightings: Sighting[] }[] = [];
  for (const sightings of variants) {
    const titles = new Set(sightings.map(({ page }) => page.title.toLowerCase()));
    const joined = groups.filter((group) => !group.titles.isDisjointFrom(titles));
    const rest = groups.filter((group) => !joined.includes(group));
    const group = {
      titles: new Set([...titles, ...joined.flatMap((one) => [...one.titles])]),
      sightings: [...joined.flatMap((one) => one.sightings), ...sightings],
    };
    groups.splice(0, groups.length, ...rest, group);
  }
  return groups.map((group) => group.sightings);
}

function firstOfEachEngine(sightings: readonly Sighting[]): SeenPage {
  const byPlace = sightings.toSorted(
    (a, b) => a.list.order - b.list.order || a.page.position - b.page.position,
  );
  return byPlace.filter(({ list }, index) => byPlace[index - 1]?.list !== list);
}

/** The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */
const rankOffset = 60;
/**
 * The weight of further engines of one provider, as a fraction: four fronts of one index must not outvote two indexes.
 */
const echoWeight = 0.25;
/** Decimal places that distinguish scores: sums of the same numbers differ behind the fifteenth. */
const scoreDigits = 12;

/** One engine's contribution to the score of a page: c(e) = w(e) / (60 + p). */
function contribution({ list, page }: Sighting): number {
  return list.weight / (rankOffset + page.position);
}

/** The sum over all providers of their best contribution and a quarter of their others. */
export function pageScore(seen: SeenPage): number {
  let score = 0;
  for (const group of Map.groupBy(seen, ({ list }) => list.provider).values()) {
    const parts = group.map(contribution);
    const best = Math.max(...parts);
    const all = parts.reduce((sum, part) => sum + part, 0);
    score += best + echoWeight * (all - best);
  }
  return Number(score.toFixed(scoreDigits));
}

/** The shown fields of a page that several engines describe. */
interface MergedFields {
  readonly title: string;
  readonly url: URL;
  readonly snippet: string;
  readonly date: string | undefined;
}

/** The best of each field; where several are equally good the first in the fixed order of engines. */
function mergeFields(seen: SeenPage, queryTokens: ReadonlySet<string>): MergedFields {
  const pages = seen.map(({ page }) => page);
  const named = pages.filter((page) => !isAddress(page));
  const titles = (named.length === 0 ? pages : named).map(({ title }) => title);
  return {
    title: best(titles, (title) => [title.length]),
    url: best(seen, urlMerits).page.url,
    snippet: best(
      pages.map(({ snippet }) => snippet),
      (snippet) => [tokensOf(snippet).intersection(queryTokens).size, snippet.length],
    ),
    date: pages.find(({ date }) => date !== undefined)?.date,
  };
}

/** `https:` rather than `http:`, then the address that the engine gives that speaks for the page most. */
function urlMerits(sighting: Sighting): readonly number[] {
  return [sighting.page.url.protocol === "https:" ? 1 : 0, contribution(sighting)];
}

/** A title that is nothing but the address of its page, or the beginning of it. */
function isAddress({ title, url }: ListedPage): boolean {
  if (/^https?:\/\/\S+$/i.test(title)) return true;
  const place = (text: string): string => text.toLowerCase().replace(/^www\./, "");
  const written = place(title.replace(/…$/, "")).replace(/\/$/, "");
  return (
    written !== "" &&
    place(`${url.host}${url.pathname}`).startsWith(written) &&
    /[./]/.test(written)
  );
}

/** The first of those with the highest merits; the first merit has the most weight. */
function best<T>(candidates: readonly T[], merits: (candidate: T) => readonly number[]): T {
  return candidates.reduce((winner, candidate) =>
    isBetter(merits(candidate), merits(winner)) ? candidate : winner,
  );
}

function isBetter(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((merit, place) => merit !== b[place]);
  return index !== -1 && (a[index] ?? 0) > (b[index] ?? 0);
}
