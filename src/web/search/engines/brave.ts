import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { isWithin, type EnginePage, webUrl } from "../pages/page.ts";
import { cookieHeader, formOf, localeOf, pageHeaders } from "./request-headers.ts";

/** Confirmed by the capture of 2026-04. Classes `svelte-…` change with every build. */
const resultSelector = 'div.snippet[data-type="web"]:not(.standalone)';
const otherSelector = '#discussions, [data-type="cluster"], .deep-links';
const contentSelector = ".result-content";
const nestedClass = /(?:^|\s)(?:snippet|deep-links)(?:\s|$)/;
const titleSelector = ".search-snippet-title";
const snippetSelectors = [
  ".generic-snippet .content",
  ".video-snippet .content",
  ".snippet-description",
] as const;
const internal = /^search\.brave\.com\//;
/** The proof of work, known from other programs only. */
const challengeText =
  /\b(?:proof[- ]of[- ]work|not a robot|you(?:'|’)re (?:a )?human|solv\w+ (?:a|the|this) captcha)\b|^(?:pow )?captcha$/i;
const emptySelector = '[class*="no-results"], [id*="no-results"]';
const emptyText =
  /^(?:no results (?:were )?found|there are no results|we (?:couldn(?:'|’)t|could not|did not) find any results|not many great matches|too few matches)/i;

export const brave: SearchEngine = {
  id: "brave",
  provider: "brave",
  weight: 1,
  domain: "brave.com",
  start: searchRequest,
  read: (response) =>
    readEnginePage(response, {
      results,
      internal,
      isEmpty: (page) => page.has(emptySelector) || page.says(emptyText),
      block,
      judgeLocation,
    }),
  judgeLocation,
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const { language, region, chosenRegion } = localeOf(settings);
  return {
    step: "search",
    method: "GET",
    url: `https://search.brave.com/search?${formOf({ q: text, source: "web" })}`,
    headers: {
      ...pageHeaders("brave", settings),
      Cookie: cookieHeader({
        safesearch: "moderate",
        useLocation: "0",
        summarizer: "0",
        country: chosenRegion?.toLowerCase() ?? "all",
        ui_lang: `${language}-${region.toLowerCase()}`,
      }),
    },
  };
}

function results(page: EnginePage): RawResult[] {
  const others = page.all(otherSelector);
  return page
    .all(resultSelector)
    .filter((result) => !isWithin(result, others))
    .flatMap((result) => {
      // Results of the same site are nested below; the text of this one comes first.
      const content = page.first(contentSelector, result) ?? result;
      const href = page.first("a[href]", content)?.attribs["href"] ?? "";
      // A relative address is an ad.
      const url = /^https?:\/\//i.test(href) ? webUrl(href) : undefined;
      return url === undefined
        ? []
        : [{ title: titleOf(page, result), url, snippet: snippetOf(page, result, content) }];
    });
}

function titleOf(page: EnginePage, result: HtmlElement): string {
  const title = page.first(titleSelector, result);
  return page.text(title) || (title?.attribs["title"]?.trim() ?? "");
}

function snippetOf(page: EnginePage, result: HtmlElement, content: HtmlElement): string {
  const roots = content === result ? [result] : [content, result];
  for (const root of roots) {
    for (const selector of snippetSelectors) {
      const text = page.text(page.all(selector, root).find((found) => !isNested(found, result)));
      if (text !== "") return text;
    }
  }
  return "";
}

/** Whether it belongs to a result inside of this one. */
function isNested(element: HtmlElement, result: HtmlElement): boolean {
  for (let node = element.parent; node !== null && node !== result; node = node.parent) {
    if (isTag(node) && nestedClass.test(node.attribs["class"] ?? "")) return true;
  }
  return false;
}

/** The page of the proof of work has no snippets, not even of another kind. */
function block(page: EnginePage): EngineAnswer | undefined {
  const isChallenge = !page.has(".snippet") && page.says(challengeText);
  return isChallenge || page.title.startsWith("PoW Captcha") ? blocked("captcha") : undefined;
}

function judgeLocation({ pathname }: URL): EngineAnswer | undefined {
  return /^\/captcha\b/.test(pathname) ? blocked("captcha") : undefined;
}
