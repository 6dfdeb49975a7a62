import type { ListedPage } from "./engine-list.ts";
import type { SeenPage, Sighting } from "./merge-lists.ts";
import { contribution } from "./page-score.ts";
import { tokensOf } from "./query.ts";

/** The shown fields of a page that several engines describe. */
export interface MergedFields {
  readonly title: string;
  readonly url: URL;
  readonly snippet: string;
  readonly date: string | undefined;
}

/** The best of each field; where several are equally good the first in the fixed order of engines. */
export function mergeFields(seen: SeenPage, queryTokens: ReadonlySet<string>): MergedFields {
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
