import type {
  EngineAnswer,
  EngineExchange,
  EngineQuery,
  EngineRequest,
  EngineResponse,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { blocked, readEnginePage } from "../pages/answers.ts";
import { type EnginePage, openPage, webUrl } from "../pages/page.ts";
import { cookieHeader, formHeaders, formOf, localeOf, pageHeaders } from "./request-headers.ts";
import { readStartpageData, startpageInterstitial, startpageLanguage } from "./startpage-data.ts";

/** Confirmed by the captures of 2026-04. Classes `css-…` change. */
const formSelector = 'form[action$="/sp/search"]';
const tokenSelector = `${formSelector} input[name="sc"]`;
const resultSelector = "div.result";
const linkSelector = "a.result-title.result-link[href]";
const snippetSelector = "p.description";
const captchaSelector = 'form[action*="/sp/captcha"], a[href*="/sp/captcha"]';

const internal = /^(?:www\.)?startpage\.com\/(?:sp|do)\//;
const emptySelector = '[class*="no-results"], [id*="no-results"]';
const emptyText = /^(?:sorry, )?(?:there are no results|no results (?:were )?found)/i;

const site = "https://www.startpage.com";
/** `sc` is good for 30 to 60 minutes. */
const tokenLifeMs = 30 * 60_000;

const withoutToken = blocked("home page without sc", "denied");

export const startpage: SearchEngine = {
  id: "startpage",
  provider: "google",
  weight: 1,
  domain: "startpage.com",
  start: (query) => {
    const token = query.memory.get("sc");
    return token === undefined ? homeRequest(query) : searchRequest(query, token);
  },
  next,
  judgeLocation,
  read,
};

function homeRequest({ settings }: EngineQuery): EngineRequest {
  return {
    step: "home",
    method: "GET",
    url: `${site}/`,
    headers: { ...pageHeaders("startpage", settings), Cookie: preferences(settings) },
  };
}

function searchRequest(query: EngineQuery, token: string): EngineRequest {
  const language = startpageLanguage(localeOf(query.settings).language);
  return postRequest("search", query, {
    query: query.text,
    cat: "web",
    t: "device",
    sc: token,
    abp: "1",
    abd: "1",
    abe: "1",
    qsr: regionCode(query.settings),
    qadf: "moderate",
    // The markers that are looked for are English; results are not.
    lui: "english",
    language,
    with_date: "",
  });
}

function postRequest(
  step: string,
  { settings }: EngineQuery,
  fields: Readonly<Record<string, string>>,
): EngineRequest {
  return {
    step,
    method: "POST",
    url: `${site}/sp/search`,
    headers: {
      ...formHeaders("startpage", settings, `${site}/`),
      Cookie: preferences(settings),
    },
    body: formOf(fields),
  };
}

/** `de_AT`, or everywhere. */
function regionCode(settings: EngineQuery["settings"]): string {
  const { language, chosenRegion } = localeOf(settings);
  return chosenRegion === undefined ? "all" : `${language}_${chosenRegion}`;
}

function preferences(settings: EngineQuery["settings"]): string {
  const language = startpageLanguage(localeOf(settings).language);
  const pairs: readonly (readonly [string, string])[] = [
    ["date_time", "world"],
    ["disable_family_filter", "0"],
    ["disable_open_in_new_window", "1"],
    ["enable_post_method", "1"],
    ["enable_proxy_safety_suggest", "0"],
    ["enable_stay_control", "0"],
    ["instant_answers", "0"],
    ["lang_homepage", "s/device/en/"],
    ["language", language],
    ["language_ui", "english"],
    ["num_of_results", "10"],
    ["search_results_region", regionCode(settings)],
    ["suggestions", "0"],
    ["wt_unit", "celsius"],
  ];
  const value = pairs.map(([key, setting]) => `${key}EEE${setting}`).join("N1N");
  return cookieHeader({ preferences: encodeURIComponent(value) });
}

/** Home page → search with its `sc`; interstitial → the same fields again, once. */
async function next(
  { request, response }: EngineExchange,
  query: EngineQuery,
): Promise<EngineRequest | undefined> {
  const page = await openPage(response.text).catch(() => undefined);
  if (page === undefined || response.status !== 200) return undefined;
  switch (request.step) {
    case "home": {
      const token = tokenOf(page);
      if (token === undefined) return undefined;
      query.memory.set("sc", token, tokenLifeMs);
      return searchRequest(query, token);
    }
    case "search": {
      const fields = startpageInterstitial(page);
      return fields === undefined ? undefined : postRequest("interstitial", query, fields);
    }
    default:
      return undefined;
  }
}

function tokenOf(page: EnginePage): string | undefined {
  const token = page.first(tokenSelector)?.attribs["value"] ?? "";
  return token === "" ? undefined : token;
}

async function read(response: EngineResponse, { memory }: EngineQuery): Promise<EngineAnswer> {
  let isListEmpty = false;
  const answer = await readEnginePage(response, {
    results: async (page) => {
      const listed = await readStartpageData(page);
      isListEmpty = listed?.length === 0;
      return listed === undefined || isListEmpty ? results(page) : listed;
    },
    internal,
    isEmpty: (page) => isListEmpty || page.has(emptySelector) || page.says(emptyText),
    block: (page) => block(page, isListEmpty),
    judgeLocation,
  });
  if (answer.state === "ok" || answer.state === "no_results") return answer;
  // A token that is not taken any more is among the causes.
  memory.delete("sc");
  const isHome = URL.parse(response.url)?.pathname === "/";
  return isHome && answer.state === "parse_error" ? withoutToken : answer;
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

/** The token is all that is wanted of the home page: without it, the reader is to be kept out. */
function block(page: EnginePage, isListEmpty: boolean): EngineAnswer | undefined {
  if (isListEmpty) return undefined;
  if (page.has(captchaSelector) || /^(?:startpage )?captcha$/i.test(page.title))
    return blocked("captcha");
  const isHome = page.has('link[rel="canonical"][href="https://www.startpage.com/"]');
  const isForm = page.has(formSelector) && !page.has(resultSelector);
  return (isHome || isForm) && tokenOf(page) === undefined ? withoutToken : undefined;
}

function judgeLocation({ pathname }: URL): EngineAnswer | undefined {
  return pathname.startsWith("/sp/captcha") ? blocked("captcha") : undefined;
}
