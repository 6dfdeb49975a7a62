import type { EngineId, RawResult } from "./engine.ts";
import { cleanText, cutAtWord } from "./clean-text.ts";
import { splitLeadingDate } from "./leading-date.ts";
import { isEnginePlace } from "./engine-places.ts";
import { pageKey } from "./page-key.ts";
import { snippetCharsMax, titleCharsMax, urlCharsMax } from "./text-limits.ts";

/** A result of one engine, fit to be shown. */
export interface ListedPage {
  readonly title: string;
  readonly url: URL;
  readonly snippet: string;
  /** `YYYY-MM-DD`. */
  readonly date: string | undefined;
  /** From 1; what the engine repeated keeps its place free. */
  readonly position: number;
  readonly key: string;
}

/** The findings of one engine. */
export interface EngineList {
  readonly engine: EngineId;
  /** Place in the fixed order of engines: breaks ties. */
  readonly order: number;
  readonly provider: string;
  readonly weight: number;
  readonly pages: readonly ListedPage[];
}

/** Of one engine; pages show 10 to 20, and later results are worth next to nothing. */
const engineResultsMax = 100;

/**
 * The usable results of an engine: `http:` and `https:` pages with a title, without ads and click counters. Texts lose
 * invisible characters, are cut to their length, and dates go from the snippet into a field of their own.
 */
export function listPages(results: readonly RawResult[], now: Date): ListedPage[] {
  const usable = results.slice(0, engineResultsMax).flatMap((result) => {
    const url = URL.parse(result.url);
    const title = cutAtWord(cleanText(result.title), titleCharsMax);
    return url === null || title === "" || !isShowable(url) ? [] : [{ result, url, title }];
  });
  return usable.map(({ result, url, title }, index) => {
    const { text, date } = splitLeadingDate(cleanText(result.snippet), now);
    return {
      title,
      url,
      snippet: cutAtWord(text, snippetCharsMax),
      date: isDate(result.date) ? result.date : date,
      position: index + 1,
      key: pageKey(url),
    };
  });
}

function isShowable(url: URL): boolean {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  // The part before an @ looks like a host but is not one.
  if (url.username !== "" || url.password !== "" || url.href.length > urlCharsMax) return false;
  return !isEnginePlace(url);
}

function isDate(text: string | undefined): boolean {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text);
}
