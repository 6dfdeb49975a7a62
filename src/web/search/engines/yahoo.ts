import type { HtmlElement } from "../../dom/parse-html.ts";
import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  EngineResponse,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { consentWall, rateLimited, retryAfterMs, readEnginePage } from "../pages/answers.ts";
import { isWithin, type EnginePage, decodeEscapes, webUrl } from "../pages/page.ts";
import { cookieHeader, formOf, localeOf, pageHeaders } from "./request-headers.ts";

/** Confirmed by the capture of 2026-08. */
const resultSelectors = ["div.algo-sr", ".algo.relsrch"] as const;
const titleSelector = ".compTitle h3";
const linkSelector = ".compTitle a[href]";
const snippetSelector = ".compText";
/** Regional hosts, known from other programs only. */
const regionalLinkSelector = "h3 > a[href]";
const adSelector = ".ads";
const internal = /^(?:\w+\.)*search\.yahoo\.com\//;
const consentSelector = 'form.consent-form, form[action*="consent"], form[action*="guce."]';
const consentTitle = /^Yahoo is (?:now )?(?:a )?part of\b/i;
const emptySelector = '[class*="no-results"], [id*="no-results"]';
const emptyText = /^(?:we did not find (?:any )?results for|no results found for)/i;
/** Its own code for too many requests. */
const throttleStatus = 999;
const throttleText = /\bunable to process request at this time\b.{0,40}\b999\b/i;

export const yahoo: SearchEngine = {
  id: "yahoo",
  provider: "bing",
  weight: 0.8,
  domain: "yahoo.com",
  start: searchRequest,
  read: async (response) =>
    throttled(response) ??
    (await readEnginePage(response, {
      results,
      internal,
      isEmpty: (page) => page.has(emptySelector) || page.says(emptyText),
      block,
      judgeLocation,
    })),
  judgeLocation,
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const { language } = localeOf(settings);
  const preferences = formOf({
    v: "1",
    vm: "p",
    fl: "1",
    vl: `lang_${language}`,
    pn: "10",
    rw: "new",
    userset: "1",
  });
  return {
    step: "search",
    method: "GET",
    url: `https://search.yahoo.com/search?${formOf({ p: text, iscqry: "" })}`,
    headers: { ...pageHeaders("yahoo", settings), Cookie: cookieHeader({ sB: preferences }) },
  };
}

function results(page: EnginePage): RawResult[] {
  const selector = resultSelectors.find((candidate) => page.has(candidate)) ?? resultSelectors[0];
  const ads = page.all(adSelector);
  return page.all(selector).flatMap((result) => {
    if (isWithin(result, ads)) return [];
    const link = page.first(linkSelector, result) ?? page.first(regionalLinkSelector, result);
    const url = targetUrl(link?.attribs["href"]);
    if (url === undefined) return [];
    return [{ title: titleOf(page, result, link), url, snippet: snippetOf(page, result) }];
  });
}

/**
 * The heading inside of the link. Where the link is inside of the heading, its text also holds the name of the site and
 * its path, and a label of its own the title.
 */
function titleOf(page: EnginePage, result: HtmlElement, link: HtmlElement | undefined): string {
  const label = page.first(regionalLinkSelector, result)?.attribs["aria-label"];
  const title =
    label?.replaceAll(/\s+/g, " ").trim() || page.text(page.first(titleSelector, result));
  return title || page.text(link);
}

function snippetOf(page: EnginePage, result: HtmlElement): string {
  return page.text(page.first(snippetSelector, result));
}

function targetUrl(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? "");
  if (url === null) return undefined;
  const wrapped = /\/RU=([^/]*)\/R[KS]/.exec(url.href)?.[1];
  const isOwn = url.hostname === "yahoo.com" || url.hostname.endsWith(".yahoo.com");
  const target = isOwn && wrapped !== undefined ? webUrl(decodeEscapes(wrapped)) : webUrl(href);
  return target === undefined || isAd(new URL(target)) ? undefined : target;
}

function isAd({ hostname, pathname }: URL): boolean {
  return /(?:^|\.)bing\.com$/.test(hostname) && pathname.startsWith("/aclick");
}

function block(page: EnginePage): EngineAnswer | undefined {
  if (page.has(consentSelector) || consentTitle.test(page.title)) return consentWall();
  return page.says(throttleText) ? rateLimited(`error ${throttleStatus}`) : undefined;
}

function throttled({ status, headers }: EngineResponse): EngineAnswer | undefined {
  if (status !== 500 && status !== throttleStatus) return undefined;
  return rateLimited(`HTTP ${status}`, retryAfterMs(headers));
}

function judgeLocation({ hostname }: URL): EngineAnswer | undefined {
  return hostname === "consent.yahoo.com" || hostname.startsWith("guce.")
    ? consentWall()
    : undefined;
}
