import type { EngineQuery, EngineRequest, RawResult, SearchEngine } from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, webUrl } from "../pages/page.ts";
import { formOf, pageHeaders } from "./request-headers.ts";

/** Confirmed by the captures of 2026-05 and 2026-06. */
const resultSelector = '[data-test-id="mainline-result-web"]';
const titleSelector = '[data-test-id="result-title"]';
const linkSelector = 'a[data-test-id="result-link"][href], [data-test-id="result-link"] a[href]';
const snippetSelector = '[data-test-id="web-result-description"]';
const emptySelector = '[data-test-id="web-no-results"]';
const turnstileSelector = 'input[name="cf-turnstile-response"]';

const internal = /^(?:www\.)?ecosia\.org\//;

const site = "https://www.ecosia.org";

export const ecosia: SearchEngine = {
  id: "ecosia",
  provider: "google",
  weight: 0.5,
  domain: "ecosia.org",
  start: searchRequest,
  read: (response) =>
    readEnginePage(response, {
      results,
      internal,
      isEmpty: (page) => page.has(emptySelector),
      block: (page) => (page.has(turnstileSelector) ? blocked("cloudflare") : undefined),
    }),
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  return {
    step: "search",
    method: "GET",
    url: `${site}/search?${formOf({ method: "index", q: text })}`,
    headers: pageHeaders("ecosia", settings),
  };
}

function results(page: EnginePage): RawResult[] {
  return page.all(resultSelector).flatMap((result) => {
    const url = webUrl(page.first(linkSelector, result)?.attribs["href"]);
    if (url === undefined) return [];
    const title = page.text(page.first(titleSelector, result));
    return [{ title, url, snippet: page.text(page.first(snippetSelector, result)) }];
  });
}
