import { type ParentNode, isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, consentWall, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, decodeEscapes, webUrl } from "../pages/page.ts";
import {
  cookieHeader,
  featurePhoneUserAgent,
  formOf,
  localeOf,
  pageHeaders,
} from "./request-headers.ts";

/** The page for feature phones, known from other programs only. */
const phoneResultSelector = "div.zMzFAb";
const phoneLinkSelector = "a.fuLhoc[href]";
const phoneTitleSelector = "span.CVA68e";
const phoneSnippetSelector = "div.taTFJ span.FrIlee";
/** The desktop page, confirmed by the captures of 2026-05. */
const desktopLinkSelector = "#search a[href]:has(> h3), #rso a[href]:has(> h3)";
const desktopSnippetSelector = ".VwiC3b";
const emptyText = /did not match any documents/;
/** Confirmed by the captures of 2026-04 and 2026-07. */
const captchaSelector = "form#captcha-form";
const scriptWallSelector =
  '[src*="/httpservice/retry/enablejs"], [href*="/httpservice/retry/enablejs"], meta[content*="/httpservice/retry/enablejs"]';
const consentSelector = 'form[action*="consent.google."]';

const site = "https://www.google.com";
/** A page that refers to the captcha, in a link or a script, and is no longer than this is nothing but that. */
const sorryCharsMax = 2_000;

export const google: SearchEngine = {
  id: "google",
  provider: "google",
  weight: 1,
  domain: "google.com",
  start: searchRequest,
  read: (response) =>
    readEnginePage(response, {
      results,
      isEmpty: (page) => page.says(emptyText),
      block: (page) => block(page, response.text),
      judgeLocation,
    }),
  judgeLocation,
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const { language, chosenRegion } = localeOf(settings);
  const fields = {
    q: text,
    sca_esv: "1",
    // The markers that are looked for are English; results are not.
    hl: "en",
    lr: language === "en" ? "" : `lang_${language}`,
    ie: "utf8",
    oe: "utf8",
    ...(chosenRegion === undefined ? {} : { cr: `country${chosenRegion}` }),
  };
  return {
    step: "search",
    method: "GET",
    url: `${site}/wml/search?${formOf(fields)}`,
    headers: {
      ...pageHeaders("google", settings),
      "User-Agent": featurePhoneUserAgent("google"),
      Accept: "*/*",
      Cookie: cookieHeader({ CONSENT: "YES+" }),
    },
  };
}

function results(page: EnginePage): RawResult[] {
  const phone = page.all(phoneResultSelector);
  if (phone.length === 0) return desktopResults(page);
  return phone.flatMap((result) => {
    const link = page.first(phoneLinkSelector, result);
    const url = targetUrl(link?.attribs["href"]);
    if (link === undefined || url === undefined) return [];
    const title = page.text(page.first(phoneTitleSelector, link));
    return [{ title, url, snippet: page.text(page.first(phoneSnippetSelector, result)) }];
  });
}

function desktopResults(page: EnginePage): RawResult[] {
  const links = page.all(desktopLinkSelector);
  const linksIn = countLinks(links);
  return links.flatMap((link) => {
    const url = targetUrl(link.attribs["href"]);
    if (url === undefined) return [];
    const snippet = page.text(page.first(desktopSnippetSelector, widestOf(link, linksIn)));
    return [{ title: page.text(page.first("h3", link)), url, snippet }];
  });
}

/** The number of results in each element around one. */
function countLinks(links: readonly HtmlElement[]): ReadonlyMap<ParentNode, number> {
  const counts = new Map<ParentNode, number>();
  for (const link of links) {
    for (let node = link.parent; node !== null; node = node.parent) {
      counts.set(node, (counts.get(node) ?? 0) + 1);
    }
  }
  return counts;
}

/** The largest element around a link that holds no other result: the classes of the elements in between change. */
function widestOf(link: HtmlElement, linksIn: ReadonlyMap<ParentNode, number>): HtmlElement {
  let widest = link;
  for (let node = link.parent; node !== null && isTag(node); node = node.parent) {
    if (linksIn.get(node) !== 1) break;
    widest = node;
  }
  return widest;
}

function targetUrl(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? "", site);
  if (url === null) return undefined;
  const isOwn = url.hostname === "google.com" || url.hostname === "www.google.com";
  if (!isOwn) return webUrl(href, site);
  if (url.pathname !== "/url") return undefined;
  const wrapped = /[?&](?:q|url)=([^&]*)/.exec(url.search)?.[1];
  return webUrl(wrapped === undefined ? undefined : decodeEscapes(wrapped));
}

function block(page: EnginePage, html: string): EngineAnswer | undefined {
  if (page.has(captchaSelector)) return blocked("captcha");
  if (html.length < sorryCharsMax && html.includes("/sorry/")) return blocked("captcha");
  if (page.has(scriptWallSelector)) return blocked("javascript");
  return page.has(consentSelector) ? consentWall() : undefined;
}

function judgeLocation({ hostname, pathname }: URL): EngineAnswer | undefined {
  if (hostname === "sorry.google.com" || pathname.startsWith("/sorry/")) return blocked("captcha");
  if (pathname.startsWith("/httpservice/retry/enablejs")) return blocked("javascript");
  return hostname.startsWith("consent.google.") ? consentWall() : undefined;
}
