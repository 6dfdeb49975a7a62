import { isTag, isText } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import { classTokens, matchesPattern } from "../element-pattern.ts";
import type { ElementPattern } from "../element-pattern.ts";
import { findNear, shortText } from "../short-text.ts";

/** Names and dates are shorter; a longer text holds something else too. */
const authorCharsMax = 60;
const dateCharsMax = 60;

const authorClass =
  /^(?:.*[-_])?(?:user-?name|author-?name|poster-?name|nick-?name|screen-?name|display-?name|member-?name|author|creator|poster|user-?link|author-?link|by-?line)$/i;
const authorHref =
  /\/(?:members?|users?|profiles?|u|people|author|user-profile)\/[^/?#]|[?&](?:action=profile;u|uid|userid|user_id|user|author|showuser|member)=|member\.php|profile\.php/i;
const dateClass =
  /(?:^|[-_])(?:date|dateline|time|timestamp|datetime|posted|posted-?on|age|when|timeago|created)(?:$|[-_])|(?:date|time|ago)$/i;
const dateText =
  /\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}|\b\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b\d+\s*(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|yrs?|[smhdwy])\s+ago\b|\b(?:yesterday|today)\b/i;

/** The lower, the surer; the first of the surest is taken. */
export interface Mark {
  readonly rank: number;
  readonly text: string;
}

/** The author of a post as `element` gives it, where that is surer than the `known` one. */
export function authorMark(
  element: HtmlElement,
  patterns: readonly ElementPattern[],
  known: Mark | undefined,
): Mark | undefined {
  const rank = authorRank(element, patterns);
  if (rank === undefined || (known !== undefined && known.rank <= rank)) return known;
  const text = nameIn(element);
  return text === "" ? known : { rank, text };
}

function authorRank(element: HtmlElement, patterns: readonly ElementPattern[]): number | undefined {
  const index = patterns.findIndex((pattern) => matchesPattern(element, pattern));
  if (index !== -1) return index;
  const property = element.attribs["itemprop"];
  if (property === "author" || property === "creator") return 11;
  if (property === "name" && element.name !== "h1") return 12;
  if (classTokens(element).some((token) => authorClass.test(token))) return 13;
  if (element.name === "a" && authorHref.test(element.attribs["href"] ?? "")) return 14;
  return undefined;
}

/** Badges and counters surround a name: with a link, the name is its text. */
function nameIn(element: HtmlElement): string {
  const link = findNear(element, (child) => child.name === "a" && isName(textOfName(child)));
  const text = textOfName(link ?? element);
  return isName(text) ? text : "";
}

function textOfName(element: HtmlElement): string {
  return shortText(element, authorCharsMax);
}

function isName(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The time of a post as `element` gives it, where that is surer than the `known` one. */
export function dateMark(
  element: HtmlElement,
  patterns: readonly ElementPattern[],
  known: Mark | undefined,
): Mark | undefined {
  const rank = dateRank(element, patterns);
  if (rank === undefined || (known !== undefined && known.rank <= rank)) return known;
  const text = dateIn(element);
  if (text === "" || (rank > 12 && !dateText.test(text))) return known;
  return { rank, text };
}

function dateRank(element: HtmlElement, patterns: readonly ElementPattern[]): number | undefined {
  const index = patterns.findIndex((pattern) => matchesPattern(element, pattern));
  if (index !== -1) return index;
  const property = element.attribs["itemprop"];
  if (property === "datePublished" || property === "dateCreated") return 11;
  if (/^(?:time|relative-time|local-time|time-ago|faceplate-timeago)$/.test(element.name))
    return 12;
  if (classTokens(element).some((token) => dateClass.test(token))) return 13;
  return isLeaf(element) ? 14 : undefined;
}

function isLeaf({ children }: HtmlElement): boolean {
  const [only] = children;
  return children.length === 1 && only !== undefined && isText(only);
}

function dateIn(element: HtmlElement): string {
  const time = findNear(element, ({ name }) => name === "time");
  // Themes write the long form and the short one side by side, and show one of them.
  const parts = time?.children.filter(isTag) ?? [];
  const shown = parts.length > 1 ? parts[0] : (time ?? element);
  const text = shortText(shown ?? element, dateCharsMax).replace(/^#\d+\s+/, "");
  if (/\d|\p{L}{3}/u.test(text)) return text;
  return time?.attribs["datetime"]?.slice(0, dateCharsMax) ?? "";
}
