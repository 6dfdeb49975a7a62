import { AppError } from "../../../base/errors.ts";
import type { EngineAnswer, EngineQuery, EngineRequest, SearchEngine } from "../engine.ts";
import { blocked, listed } from "../pages/answers.ts";
import { listAt, readJson, textAt } from "../pages/read-json.ts";
import { isoDate, plainText, webUrl } from "../pages/page.ts";
import { apiHeaders, formOf } from "./request-headers.ts";

/** Unresponsive engines that are named. */
const namedMax = 10;
const nameCharsMax = 60;
const deniedStatus = 403;

/** The JSON API of an instance that the user runs. */
export const searxng: SearchEngine = {
  id: "searxng",
  provider: "searxng",
  weight: 1,
  domain: undefined,
  start: searchRequest,
  read: async (response) =>
    // The form that JSON is switched off in; a limiter answers 429.
    response.status === deniedStatus
      ? blocked("HTTP 403: add json to search.formats in the instance's settings", "denied")
      : await readJson(response, { answer }),
};

/** @throws AppError `config` when no instance is configured */
function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  if (settings.searxngUrl === undefined) {
    throw new AppError(
      "config",
      "The engine searxng needs SEARXNG_URL: the address of an instance.",
    );
  }
  const base = settings.searxngUrl.replace(/\/+$/, "");
  const fields = {
    q: text,
    format: "json",
    categories: "general",
    language: settings.language,
    safesearch: "0",
  };
  return {
    step: "search",
    method: "GET",
    url: `${base}/search?${formOf(fields)}`,
    // Its limiter looks for `text/html` in whatever it is asked.
    headers: { ...apiHeaders(settings), Accept: "application/json, text/html;q=0.9" },
  };
}

async function answer(value: unknown): Promise<EngineAnswer | undefined> {
  const said = await listed(listAt(value, "results"), async (entry) => ({
    title: await plainText(textAt(entry, "title")),
    url: webUrl(textAt(entry, "url")) ?? "",
    snippet: await plainText(textAt(entry, "content")),
    date: isoDate(textAt(entry, "publishedDate")),
  }));
  const detail = unresponsive(value);
  const mayTell = said?.state === "ok" || said?.state === "no_results";
  return mayTell && detail !== "" ? { ...said, detail } : said;
}

/** `unresponsive: google (captcha), qwant (timeout)` */
function unresponsive(value: unknown): string {
  const named = (listAt(value, "unresponsive_engines") ?? [])
    .filter((pair) => Array.isArray(pair))
    .map(([name, reason]: unknown[]) =>
      `${textAt(name)} (${textAt(reason)})`.slice(0, nameCharsMax),
    );
  return named.length === 0 ? "" : `unresponsive: ${named.slice(0, namedMax).join(", ")}`;
}
