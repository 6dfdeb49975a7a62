import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  EngineResponse,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, decodeEscapes, webUrl } from "../pages/page.ts";
import { cookieHeader, formHeaders, formOf, localeOf } from "./request-headers.ts";

/** Confirmed by the captures of 2026-07 (results; the challenge of the lite page). */
const resultSelector = "#links .result.web-result:not(.result--ad):not(.result--no-result)";
const titleSelector = "h2.result__title a.result__a";
const snippetSelector = ".result__snippet";
const dateLineSelector = ".result__extras__url";
const blockSelector =
  'form#challenge-form, [action*="duckduckgo.com/anomaly.js"], .anomaly-modal__title';
/** Known from other programs only. */
const emptySelector = ".no-results, .result--no-result";
const liteTitleSelector = "a.result-link";
const liteSnippetSelector = "td.result-snippet";
const liteAdClass = /\bresult-sponsored\b/;

const site = "https://html.duckduckgo.com";
/** A longer query is refused. */
const queryCharsMax = 499;

export const duckduckgo: SearchEngine = {
  id: "duckduckgo",
  provider: "bing",
  weight: 1,
  domain: "duckduckgo.com",
  start: searchRequest,
  read,
};

/** It answers suspected bots with 202; no other answer has that status. */
async function read(response: EngineResponse): Promise<EngineAnswer> {
  const answer = await readEnginePage(response, { results, isEmpty, block });
  return response.status === 202 && answer.state === "parse_error" ? blocked("captcha") : answer;
}

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const kl = regionCode(settings);
  return {
    step: "search",
    method: "POST",
    url: `${site}/html/`,
    headers: {
      ...formHeaders("duckduckgo", settings, `${site}/`),
      Cookie: cookieHeader({ kl }),
    },
    body: formOf({ q: quoteBangs(cutQuery(text)), b: "", kl }),
  };
}

/** Its regions: country, then language, with codes of its own for some. */
const ownRegions: Readonly<Record<string, string>> = {
  GB: "uk-en",
  JP: "jp-jp",
  KR: "kr-kr",
  CN: "cn-zh",
  TW: "tw-tzh",
  HK: "hk-tzh",
  UA: "ua-uk",
};

function regionCode(settings: EngineQuery["settings"]): string {
  const { language, chosenRegion } = localeOf(settings);
  if (chosenRegion === undefined) return "wt-wt";
  return ownRegions[chosenRegion] ?? `${chosenRegion.toLowerCase()}-${language}`;
}

function cutQuery(text: string): string {
  if (text.length <= queryCharsMax) return text;
  const room = text.slice(0, queryCharsMax + 1);
  const space = room.lastIndexOf(" ");
  return space > 0 ? room.slice(0, space) : room.slice(0, queryCharsMax);
}

/** A word that starts with `!` or `\` sends the reader to another site, unless it is quoted. */
function quoteBangs(text: string): string {
  return text.replaceAll(
    /"[^"]*"|(^|\s)([!\\][^\s"]+)/g,
    (whole, before?: string, word?: string) =>
      word === undefined ? whole : `${before ?? ""}"${word}"`,
  );
}

function results(page: EnginePage): RawResult[] {
  const found = page.all(resultSelector);
  if (found.length === 0) return liteResults(page);
  return found.flatMap((result) => {
    const link = page.first(titleSelector, result);
    const url = targetUrl(link?.attribs["href"]);
    if (url === undefined) return [];
    const line = page.text(page.first(dateLineSelector, result));
    return [
      {
        title: page.text(link),
        url,
        snippet: page.text(page.first(snippetSelector, result)),
        date: /\b(\d{4}-\d\d-\d\d)T00:00:00/.exec(line)?.[1],
      },
    ];
  });
}

/** The page for small screens: rows of a table, of which the one with the title comes first. */
function liteResults(page: EnginePage): RawResult[] {
  const found: RawResult[] = [];
  for (const row of page.all(`tr:has(${liteTitleSelector}), tr:has(${liteSnippetSelector})`)) {
    const isAd = liteAdClass.test(row.attribs["class"] ?? "");
    const link = page.first(liteTitleSelector, row);
    const snippet = page.text(page.first(liteSnippetSelector, row));
    const last = found.at(-1);
    if (link !== undefined) {
      const url = isAd ? undefined : targetUrl(link.attribs["href"]);
      found.push({ title: page.text(link), url: url ?? "", snippet });
    } else if (last !== undefined && last.snippet === "") {
      found[found.length - 1] = { ...last, snippet };
    }
  }
  return found.filter(({ url }) => url !== "");
}

/** The target of a link: the redirect undone, ads dropped, also those that are wrapped twice. */
function targetUrl(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? "", site);
  if (url === null) return undefined;
  if (!isOwn(url)) return webUrl(href, site);
  if (url.pathname !== "/l/") return undefined;
  // The pair is decoded by hand: `+` in it is a plus sign, and not every escape is UTF-8.
  const wrapped = /[?&]uddg=([^&]*)/.exec(url.search)?.[1];
  const target = webUrl(wrapped === undefined ? undefined : decodeEscapes(wrapped));
  return target !== undefined && isOwnAd(new URL(target)) ? undefined : target;
}

function isOwn({ hostname }: URL): boolean {
  return hostname === "duckduckgo.com" || hostname.endsWith(".duckduckgo.com");
}

function isOwnAd(url: URL): boolean {
  return isOwn(url) && url.pathname === "/y.js";
}

function isEmpty(page: EnginePage): boolean {
  return page.has(emptySelector) || page.says(/^No results(?: found(?: for .{0,60})?)?\.?$/i);
}

function block(page: EnginePage): EngineAnswer | undefined {
  return page.has(blockSelector) ? blocked("captcha") : undefined;
}
