import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  EngineResponse,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, webUrl } from "../pages/page.ts";
import { cookieHeader, formOf, localeOf, pageHeaders } from "./request-headers.ts";

/** The page of site searches, known from other programs only; the main page, confirmed by the capture of 2026-05. */
const resultSelector = 'li[class*="serp-item"]';
const linkSelector = "a.b-serp-item__title-link[href], a.OrganicTitle-Link[href]";
const mainTitleSelector = "h2";
const snippetSelector = ".b-serp-item__text, .OrganicTextContentSpan";
const internal =
  /^(?:\w+\.)*yandex\.[a-z.]+\/(?:clck|search|images|video)\b|^yabs\.yandex\.[a-z.]+\//;
const emptySelector = ".EmptySearchResults";
const emptyText = /^(?:Nothing found|No results found|По вашему запросу ничего не наш)/i;
/** Confirmed by the capture of 2026-04. */
const captchaSelector = '.CheckboxCaptcha, .AdvancedCaptcha, form[action^="/checkcaptcha"]';

/** A site search over the whole Web. */
const searchId = "3131712";
/** Family filter off, and a fixed size of the screen; both end far in the future. */
const preferencesCookie = "2147483647.sp.family%3A0#2147483647.szm.1:1920x1080:1920x969";

export const yandex: SearchEngine = {
  id: "yandex",
  provider: "yandex",
  weight: 0.6,
  domain: "yandex.com",
  start: searchRequest,
  read: async (response) =>
    announced(response) ??
    (await readEnginePage(response, { results, internal, isEmpty, block, judgeLocation })),
  judgeLocation,
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const fields = {
    tmpl_version: "releases",
    text,
    web: "1",
    frame: "1",
    searchid: searchId,
    lang: localeOf(settings).language,
  };
  return {
    step: "search",
    method: "GET",
    url: `https://yandex.com/search/site/?${formOf(fields)}`,
    headers: {
      ...pageHeaders("yandex", settings),
      Cookie: cookieHeader({ yp: preferencesCookie }),
    },
  };
}

function results(page: EnginePage): RawResult[] {
  return page.all(resultSelector).flatMap((result) => {
    const link = page.first(linkSelector, result);
    const url = webUrl(link?.attribs["href"]);
    if (link === undefined || url === undefined) return [];
    const title = page.text(page.first(mainTitleSelector, link)) || page.text(link);
    return [{ title, url, snippet: page.text(page.first(snippetSelector, result)) }];
  });
}

function isEmpty(page: EnginePage): boolean {
  return page.has(emptySelector) || page.says(emptyText);
}

function block(page: EnginePage): EngineAnswer | undefined {
  return page.has(captchaSelector) ? blocked("captcha") : undefined;
}

function announced({ headers }: EngineResponse): EngineAnswer | undefined {
  return headers["x-yandex-captcha"] === "captcha" ? blocked("captcha") : undefined;
}

function judgeLocation({ pathname }: URL): EngineAnswer | undefined {
  return pathname.startsWith("/showcaptcha") ? blocked("captcha") : undefined;
}
