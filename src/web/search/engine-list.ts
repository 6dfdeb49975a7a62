import { cleanLine, cutAtWord } from "../dom/clean-text.ts";
import type { EngineId, RawResult } from "./engine.ts";
import { pageKey } from "./page-key.ts";
import { snippetCharsMax } from "./search-reply.ts";

/** A result of one engine, fit to be shown. */
export interface ListedPage {
  readonly title: string;
  readonly url: URL;
  readonly snippet: string;
  /** `YYYY-MM-DD`. */
  readonly date: string | undefined;
  /** From 1; a repeated result leaves its position empty. */
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

/** Characters of the shown parts of one result (ranking, "Cleaning a result"). */
const titleCharsMax = 200;
/** Characters of a result's address; ten longer ones would leave no room for anything else. */
const urlCharsMax = 1500;

/** Results that are taken from one engine; pages show 10 to 20, and later results are worth next to nothing. */
const engineResultsMax = 100;

/**
 * The usable results of an engine: `http:` and `https:` pages with a title, without ads and click counters. Texts lose
 * invisible characters, are cut to their length, and dates go from the snippet into a field of their own.
 */
export function listPages(results: readonly RawResult[], now: Date): ListedPage[] {
  const usable = results.slice(0, engineResultsMax).flatMap((result) => {
    const url = URL.parse(result.url);
    const title = cutAtWord(cleanLine(result.title), titleCharsMax);
    return url === null || title === "" || !isShowable(url) ? [] : [{ result, url, title }];
  });
  return usable.map(({ result, url, title }, index) => {
    const { text, date } = splitLeadingDate(cleanLine(result.snippet), now);
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

/** Hosts that sell advertisements or count clicks, whatever engine leads to them. */
const trackerHosts =
  /(?:^|\.)(?:doubleclick\.net|googleadservices\.com|googlesyndication\.com|adservice\.google\.[a-z.]+|clickserve\.dartsearch\.net)$/;

/**
 * Pages of search engines that are not results: advertisements, click counters that were not decoded, searches,
 * captchas. Other pages of the same hosts are as good as any.
 */
const enginePages: readonly RegExp[] = [
  /^(?:\w+\.)*bing\.com\/(?:aclick|aclk|ck\/|search|images\/search|videos\/search)/,
  /^(?:html\.|lite\.)?duckduckgo\.com\/(?:y\.js|l\/|html|lite|anomaly|$)/,
  /^search\.brave\.com\//,
  /^(?:\w+\.)*startpage\.com\/(?:sp|do|cgi-bin)\//,
  /^(?:\w+\.)*search\.yahoo\.com\//,
  /^(?:www\.)?mojeek\.com\/search/,
  /^(?:www\.)?google\.[a-z.]+\/(?:aclk|url$|search$|imgres|sorry\/|httpservice\/)/,
  /^(?:\w+\.)*yandex\.[a-z.]+\/(?:clck|showcaptcha|search)/,
  /^(?:\w+\.)*qwant\.com\/(?:redirect|v3\/)/,
  /^(?:www\.)?ecosia\.org\/(?:search|images|link)/,
  /^(?:www\.|m\.)?baidu\.com\/(?:s|baidu\.php|from=[^/]*\/)$/,
];

/** True for an address that leads to an advertisement, a click counter or back into a search engine. */
export function isEnginePlace({ hostname, pathname }: URL): boolean {
  if (trackerHosts.test(hostname)) return true;
  const place = `${hostname}${pathname}`;
  return enginePages.some((form) => form.test(place));
}

/** A text, and the date that preceded it. */
interface DatedText {
  readonly text: string;
  /** `YYYY-MM-DD`. */
  readonly date?: string;
}

const monthNames = [
  "jan",
  "feb",
  "mar",
  "apr",
  "may",
  "jun",
  "jul",
  "aug",
  "sep",
  "oct",
  "nov",
  "dec",
];
const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const unit = "(?:second|sec|minute|min|hour|hr|day|week|month|year)";

/** Each kind of date that engines write before a snippet, and how it is read. */
const dateForms: readonly (readonly [
  RegExp,
  (match: RegExpExecArray, now: Date) => Date | undefined,
])[] = [
  [
    new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)? (${month}),? (\\d{4})$`, "i"),
    ([, day, name, year]) => calendarDate(year, monthNumber(name), day),
  ],
  [
    new RegExp(`^(${month}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})$`, "i"),
    ([, name, day, year]) => calendarDate(year, monthNumber(name), day),
  ],
  [
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:T[\d:.]+Z?)?$/,
    ([, year, number, day]) => calendarDate(year, Number(number), day),
  ],
  [
    /^(\d{4})年(\d{1,2})月(\d{1,2})日$/,
    ([, year, number, day]) => calendarDate(year, Number(number), day),
  ],
  [
    new RegExp(`^(\\d{1,4}|an?) (${unit})s? ago$`, "i"),
    ([, count, name], now) => ago(now, count, name),
  ],
  [/^yesterday$/i, (_, now) => ago(now, "1", "day")],
  [/^today$/i, (_, now) => now],
];

/** The separator between a date and its snippet. */
const separator = /^(.{5,40}?)\s*(?:\.\.\.|…|·|•|\||\s[-–—])\s*/;

/**
 * Takes a date off the start of a snippet: `14 Oct 2023 ...`, `Jul 16, 2025 ·`, `4 days ago -`.
 * @param now the time from which relative dates are counted; days are those of UTC
 */
export function splitLeadingDate(text: string, now: Date): DatedText {
  const match = separator.exec(text);
  const date = match === null ? undefined : readDate(match[1] ?? "", now);
  if (match === null || date === undefined) return { text };
  return { text: text.slice(match[0].length), date };
}

/** `YYYY-MM-DD` of a text that is a date and nothing else; undefined for any other. */
function readDate(text: string, now: Date): string | undefined {
  const written = text.trim().replaceAll(/\s+/g, " ");
  for (const [form, read] of dateForms) {
    const match = form.exec(written);
    if (match !== null) return read(match, now)?.toISOString().slice(0, 10);
  }
  return undefined;
}

function monthNumber(name = ""): number {
  return monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Undefined for a day that no calendar has. */
function calendarDate(year = "", number: number, day = ""): Date | undefined {
  const date = new Date(Date.UTC(Number(year), number - 1, Number(day)));
  const isThere = date.getUTCMonth() === number - 1 && date.getUTCDate() === Number(day);
  // Years below 100 mean the last century to `Date.UTC`, and nothing to a search engine.
  return isThere && Number(year) >= 1000 ? date : undefined;
}

const secondMs = 1000;
const unitMs: Readonly<Record<string, number>> = {
  sec: secondMs,
  min: 60 * secondMs,
  hou: 3600 * secondMs,
  hr: 3600 * secondMs,
  day: 86_400 * secondMs,
  wee: 7 * 86_400 * secondMs,
};

function ago(now: Date, count = "", name = ""): Date | undefined {
  const number = /^an?$/i.test(count) ? 1 : Number(count);
  const date = new Date(now);
  const kind = name.slice(0, 3).toLowerCase();
  const ms = unitMs[kind];
  if (ms !== undefined) date.setTime(now.getTime() - number * ms);
  else subtractMonths(date, kind === "yea" ? number * 12 : number);
  return date.getUTCFullYear() >= 1000 ? date : undefined;
}

/** The last day of a shorter month replaces a day that it lacks. */
function subtractMonths(date: Date, months: number): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
}
