import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, webUrl } from "../pages/page.ts";
import { cookieHeader, formOf, localeOf, pageHeaders } from "./request-headers.ts";

/** Confirmed by the capture of 2026-04. */
const resultSelector = "ul.results-standard > li";
const linkSelector = "h2 a.title[href]";
const snippetSelector = "p.s";
/** Known from other programs only. */
const emptySelector = '[class*="no-results"], [id*="no-results"]';
const emptyText = /\bNo pages found\b/i;
const internal = /^(?:www\.)?mojeek\.com\/search\b/;
const captchaSelector = '.captcha-wrap, script[src*="altcha.js"], script[src*="challenge.js"]';

export const mojeek: SearchEngine = {
  id: "mojeek",
  provider: "mojeek",
  weight: 0.7,
  domain: "mojeek.com",
  start: searchRequest,
  read: (response) =>
    readEnginePage(response, {
      results,
      internal,
      isEmpty: (page) =>
        !page.has(resultSelector) && (page.has(emptySelector) || page.says(emptyText)),
      block,
    }),
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const { language, chosenRegion } = localeOf(settings);
  return {
    step: "search",
    method: "GET",
    // No `s` for the first page: it triggers the rate limit.
    url: `https://www.mojeek.com/search?${formOf({ q: text, safe: "0" })}`,
    headers: {
      ...pageHeaders("mojeek", settings),
      Cookie: cookieHeader({ lb: language, arc: chosenRegion?.toLowerCase() ?? "none" }),
    },
  };
}

function results(page: EnginePage): RawResult[] {
  return page.all(resultSelector).flatMap((result) => {
    const link = page.first(linkSelector, result);
    const url = webUrl(link?.attribs["href"]);
    if (url === undefined) return [];
    const snippet = page.text(page.first(snippetSelector, result));
    return [{ title: page.text(link), url, snippet }];
  });
}

function block(page: EnginePage): EngineAnswer | undefined {
  const isCaptcha = /^captcha$/i.test(page.title) || page.has(captchaSelector);
  return isCaptcha ? blocked("captcha") : undefined;
}
