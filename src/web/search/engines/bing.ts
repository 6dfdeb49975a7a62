import { randomHex } from "../../../base/digests.ts";
import { isText } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, isoDate, plainText, webUrl } from "../pages/page.ts";
import { cookieHeader, formOf, localeOf, pageHeaders } from "./request-headers.ts";

/**
 * The results of `format=rss`, known from other programs only. An HTML parser reads the feed well enough, but for
 * `link`, which is an empty element to it: the address is the text that follows.
 */
async function bingFeedResults(page: EnginePage): Promise<RawResult[]> {
  const found: RawResult[] = [];
  for (const item of page.all("rss > channel > item")) {
    const after = page.first("link", item)?.next;
    const url = webUrl(after && isText(after) ? after.data : undefined);
    if (url === undefined) continue;
    found.push({
      title: await plainText(page.text(page.first("title", item))),
      url,
      snippet: await plainText(page.text(page.first("description", item))),
      date: isoDate(page.text(page.first("pubdate", item))),
    });
  }
  return found;
}

/** Confirmed by the captures of 2026-04 and 2026-05; the marker of no results by that of 2021-01. */
const resultSelector = "ol#b_results > li.b_algo:not(.b_ad, .b_ans, .b_pag)";
const linkSelector = "h2 a[href]";
const snippetSelectors = [".b_caption p", 'p[class*="b_lineclamp"]'] as const;
const iconSelector = "span.algoSlug_icon";
const emptySelector = "li.b_no";
const captchaSelector = "div.captcha, .captcha_header";

const internal = /^(?:\w+\.)*bing\.com\/(?:aclk|aclick|ck|search|images|videos|news|maps|shop)\b/;

const site = "https://www.bing.com";

export const bing: SearchEngine = {
  id: "bing",
  provider: "bing",
  weight: 0.8,
  domain: "bing.com",
  start: searchRequest,
  read: (response) =>
    readEnginePage(response, {
      results: async (page) =>
        /^\s*(?:<\?xml[^>]*>\s*)?<rss\b/.test(response.text)
          ? await bingFeedResults(page)
          : results(page),
      internal,
      isEmpty: (page) => page.has(emptySelector) || page.has("rss > channel:not(:has(item))"),
      block: (page) => (page.has(captchaSelector) ? blocked("captcha") : undefined),
      judgeLocation,
    }),
  judgeLocation,
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const { language, region } = localeOf(settings);
  const cvid = randomHex(16).toUpperCase();
  const fields = { q: text, mkt: `${language}-${region}`, adlt: "off", pq: text, cvid };
  return {
    step: "search",
    method: "GET",
    url: `${site}/search?${formOf({ ...fields, FORM: "PERE", filters: 'rcrse:"1"' })}`,
    headers: {
      ...pageHeaders("bing", settings),
      Cookie: cookieHeader({ SRCHHPGUSR: `IG=${cvid}` }),
    },
  };
}

function results(page: EnginePage): RawResult[] {
  return page.all(resultSelector).flatMap((result) => {
    const link = page.first(linkSelector, result);
    const url = targetUrl(link?.attribs["href"]);
    return url === undefined
      ? []
      : [{ title: page.text(link), url, snippet: snippetOf(page, result) }];
  });
}

function snippetOf(page: EnginePage, result: HtmlElement): string {
  for (const selector of snippetSelectors) {
    const text = withoutIcons(page, page.first(selector, result));
    if (text !== "") return text;
  }
  return "";
}

/** The label in front of some snippets ("Web") is not part of them. */
function withoutIcons(page: EnginePage, element: HtmlElement | undefined): string {
  if (element === undefined) return "";
  const text = page.text(element);
  const icon = page.text(page.first(iconSelector, element));
  return icon !== "" && text.startsWith(icon) ? text.slice(icon.length).trim() : text;
}

/** `u` of the redirect is base64url behind two characters that say which kind of target it is. */
function targetUrl(href: string | undefined): string | undefined {
  const url = URL.parse(href ?? "", site);
  if (url === null) return undefined;
  const isOwn = url.hostname === "bing.com" || url.hostname.endsWith(".bing.com");
  if (!isOwn || !url.pathname.startsWith("/ck/")) return webUrl(href, site);
  const wrapped = /[?&]u=([^&]*)/.exec(url.search)?.[1];
  if (wrapped === undefined) return undefined;
  return webUrl(Buffer.from(wrapped.slice(2), "base64url").toString("utf8"));
}

function judgeLocation({ pathname }: URL): EngineAnswer | undefined {
  return /^\/(?:turing|captcha)\b/i.test(pathname) ? blocked("captcha") : undefined;
}
