import type { HtmlElement } from "../../dom/parse-html.ts";
import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, listed, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, isoDate, plainText, webUrl } from "../pages/page.ts";
import { listAt, numberAt, readJson, recordOf, textAt } from "../pages/read-json.ts";
import { formOf, pageHeaders } from "./request-headers.ts";

/** The HTML page, confirmed by the captures of 2026-04 and 2026-05. */
const resultSelector = "#content_left > div.c-container:has(h3)";
const snippetSelectors = [
  '[class*="summary-gap"]',
  ".c-abstract",
  '[class*="content-right"]',
  '[class*="summary-text"]',
] as const;
/** Widgets that look like results: translation, lists of related searches. */
const widgetTemplates = /fanyi|translat|recommend_list/i;
const emptySelector = ".content_none, .nors";
const captchaTitle = "百度安全验证";

const site = "https://www.baidu.com";

export const baidu: SearchEngine = {
  id: "baidu",
  provider: "baidu",
  weight: 0.4,
  domain: "baidu.com",
  start: searchRequest,
  read: async (response) => {
    if (!response.text.trimStart().startsWith("<")) {
      return await readJson(response, { failure, answer, judgeLocation });
    }
    return await readEnginePage(response, {
      results,
      isEmpty: (page) => page.has(emptySelector),
      block: (page) => (page.title === captchaTitle ? blocked("captcha") : undefined),
      judgeLocation,
    });
  },
  judgeLocation,
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  return {
    step: "search",
    method: "GET",
    url: `${site}/s?${formOf({ wd: text, rn: "10", pn: "0", tn: "json" })}`,
    headers: pageHeaders("baidu", settings),
  };
}

function failure(value: unknown): EngineAnswer | undefined {
  return numberAt(value, "antiFlag") === 1 ? blocked("denied, antiFlag", "denied") : undefined;
}

function answer(value: unknown): Promise<EngineAnswer | undefined> {
  // The list ends with an empty object.
  const entries = listAt(value, "feed", "entry")?.filter(
    (entry) => Object.keys(recordOf(entry) ?? {}).length > 0,
  );
  return listed(entries, async (entry) => ({
    title: await plainText(textAt(entry, "title")),
    url: webUrl(textAt(entry, "url")) ?? "",
    snippet: await plainText(textAt(entry, "abs")),
    date: isoDate(numberAt(entry, "time")),
  }));
}

function results(page: EnginePage): RawResult[] {
  return page.all(resultSelector).flatMap((result) => {
    const url = targetUrl(page, result);
    if (url === undefined || widgetTemplates.test(result.attribs["tpl"] ?? "")) return [];
    const title = page.text(page.first("h3", result));
    return [{ title, url, snippet: snippetOf(page, result) }];
  });
}

/** The attribute `mu` has the real address; links go through a counter that nobody can undo. */
function targetUrl(page: EnginePage, result: HtmlElement): string | undefined {
  const real = webUrl(result.attribs["mu"]);
  if (real !== undefined) return real;
  const link = webUrl(page.first("h3 a[href]", result)?.attribs["href"]);
  const isCounter = link !== undefined && /(?:^|\.)baidu\.com$/.test(new URL(link).hostname);
  return isCounter ? undefined : link;
}

function snippetOf(page: EnginePage, result: HtmlElement): string {
  for (const selector of snippetSelectors) {
    const text = page.text(page.first(selector, result));
    if (text !== "") return text;
  }
  return "";
}

function judgeLocation({ hostname, pathname }: URL): EngineAnswer | undefined {
  const isCaptcha = hostname === "wappass.baidu.com" || pathname.startsWith("/static/captcha");
  return isCaptcha ? blocked("captcha") : undefined;
}
