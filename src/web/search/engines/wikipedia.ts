import type { EngineAnswer, EngineQuery, EngineRequest, SearchEngine } from "../engine.ts";
import { failed, listed, rateLimited } from "../pages/answers.ts";
import { listAt, readJson, recordOf, textAt, valueAt } from "../pages/read-json.ts";
import { isoDate, plainText } from "../pages/page.ts";
import { apiHeaders, formOf, localeOf } from "./request-headers.ts";

/** Error codes that mean: later. */
const throttleCodes = /^(?:ratelimited|maxlag|readonly|.*too-busy.*)$/;
/** Wikipedias with more than 500,000 articles; for other languages the English one is asked. */
const editions: ReadonlySet<string> = new Set(
  "ar arz ca ceb cs da de en eo es eu fa fi fr hu hy id it ja ko ms nl no pl pt ro ru sh sr sv tr tt uk uz vi zh".split(
    " ",
  ),
);

export const wikipedia: SearchEngine = {
  id: "wikipedia",
  provider: "wikimedia",
  weight: 0.6,
  domain: "wikipedia.org",
  start: searchRequest,
  read: (response, query) =>
    readJson(response, { failure, answer: (value) => answer(value, siteOf(query)) }),
};

function siteOf({ settings }: EngineQuery): string {
  const { language } = localeOf(settings);
  const edition = language === "nb" ? "no" : language;
  return `https://${editions.has(edition) ? edition : "en"}.wikipedia.org`;
}

function searchRequest(query: EngineQuery): EngineRequest {
  const fields = {
    action: "query",
    list: "search",
    srsearch: query.text,
    srlimit: "5",
    srprop: "snippet|timestamp",
    format: "json",
    utf8: "1",
  };
  return {
    step: "search",
    method: "GET",
    url: `${siteOf(query)}/w/api.php?${formOf(fields)}`,
    headers: apiHeaders(query.settings),
  };
}

/** Comes with HTTP 200. */
function failure(value: unknown): EngineAnswer | undefined {
  if (recordOf(valueAt(value, "error")) === undefined) return undefined;
  const code = textAt(value, "error", "code") || "unknown";
  return throttleCodes.test(code) ? rateLimited(`error ${code}`) : failed(`error ${code}`);
}

function answer(value: unknown, site: string): Promise<EngineAnswer | undefined> {
  return listed(listAt(value, "query", "search"), async (entry) => {
    const title = textAt(entry, "title");
    return {
      title,
      url: title === "" ? "" : `${site}/wiki/${titlePath(title)}`,
      snippet: await plainText(textAt(entry, "snippet")),
      date: isoDate(textAt(entry, "timestamp")),
    };
  });
}

/** As Wikipedia's own links spell titles: underscores, and escapes for characters that are not allowed in a path. */
function titlePath(title: string): string {
  return encodeURIComponent(title.toWellFormed().replaceAll(" ", "_"))
    .replaceAll(/%(?:3A|2F|2C|3B|40|24)/g, decodeURIComponent)
    .replaceAll("'", "%27");
}
