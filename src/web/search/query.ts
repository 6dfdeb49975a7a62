import { AppError } from "../../base/errors.ts";
import { cleanLine, cutAtWord } from "../dom/clean-text.ts";

/** A query as it is sent, and the properties of its words. */
export interface Query {
  readonly text: string;
  /** Words of the query without operators and excluded words; bigrams for scripts without spaces. Folded. */
  readonly tokens: ReadonlySet<string>;
  /** Sites of `site:`; a result must be of one of them. Empty = of any. */
  readonly sites: readonly Site[];
  /** Sites of `-site:`. */
  readonly excludedSites: readonly Site[];
}

interface Site {
  /** Without `www.`. */
  readonly host: string;
  /** With its leading slash; empty = all of the host. */
  readonly path: string;
}

/** Characters of a query; DuckDuckGo refuses more than 499, others some thousand. */
export const queryCharsMax = 500;

/** Words before a colon that restrict a search instead of naming its subject. */
const operatorExpression =
  /^[-+]?(?:site|inurl|intitle|intext|inbody|inanchor|allintitle|allinurl|filetype|ext|lang|language|loc|location|before|after|ip|url|related|cache|link|feed|hasfeed|contains|prefer|host|domain|date|mime|rhost):/i;

/**
 * Trims the query, collapses its spaces, normalises it (NFC) and cuts it at 500 characters.
 * @throws AppError `usage` when nothing is left
 */
export function parseQuery(written: string): Query {
  const clean = cleanLine(written).normalize("NFC");
  const text =
    clean.length <= queryCharsMax ? clean : cutAtWord(clean, queryCharsMax).replace(/…$/, "");
  if (text === "") {
    throw new AppError("usage", "`query` is blank: say what to search for, in a few words.");
  }
  const words = wordsOf(text);
  const isOperator = (word: string): boolean =>
    operatorExpression.test(word) || /^-[^\s-]/.test(word);
  const sought = words.filter((word) => !isOperator(word) && !/^(?:OR|AND|NOT)$/.test(word));
  return {
    text,
    tokens: tokensOf(sought.join(" ")),
    sites: words.flatMap((word) => siteOf(/^site:(.+)$/i.exec(word)?.[1])),
    excludedSites: words.flatMap((word) => siteOf(/^-site:(.+)$/i.exec(word)?.[1])),
  };
}

/**
 * Phrases in quotes, and words. Parentheses are not part of any; the content of excluded ones is left to the engines.
 */
function wordsOf(text: string): readonly string[] {
  const sought = text.replaceAll(/-\([^()]*\)/g, " ");
  return sought.match(/[-+]?"[^"]*"|[^\s()]+/g) ?? [];
}

/** Scripts that are written without spaces, or whose words are glued together. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Words of at least two letters and digits, in lower case without accents; pairs of neighbours where there are no spaces. */
export function tokensOf(text: string): Set<string> {
  const folded = text
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .normalize("NFKC")
    .toLowerCase();
  const tokens = new Set<string>();
  for (const [run] of folded.matchAll(unspaced)) {
    const characters = Array.from(run);
    for (let at = 1; at < characters.length; at++)
      tokens.add(`${characters[at - 1]}${characters[at]}`);
  }
  for (const [word] of folded.replaceAll(unspaced, " ").matchAll(/[\p{L}\p{N}]{2,}/gu))
    tokens.add(word);
  return tokens;
}

function siteOf(written: string | undefined): Site[] {
  const text = written
    ?.replaceAll('"', "")
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/^\*?\./, "")
    .replace(/[.,;]+$/, "");
  const url = text === undefined || text === "" ? null : URL.parse(`https://${text}`);
  if (url === null) return [];
  return [{ host: url.hostname.replace(/^www\./, ""), path: url.pathname.replace(/\/$/, "") }];
}

/** True when a page may be shown for this query: of the sites that it names, and of none that it excludes. */
export function isOfSites(url: URL, { sites, excludedSites }: Query): boolean {
  const isOf = (site: Site): boolean => isOfSite(url, site);
  return (sites.length === 0 || sites.some(isOf)) && !excludedSites.some(isOf);
}

function isOfSite({ hostname, pathname }: URL, { host, path }: Site): boolean {
  return (hostname === host || hostname.endsWith(`.${host}`)) && pathname.startsWith(path);
}
