import type { EngineAnswer, EngineQuery, EngineRequest, SearchEngine } from "../engine.ts";
import { listed } from "../pages/answers.ts";
import { listAt, numberAt, readJson, textAt } from "../pages/read-json.ts";
import { isoDate, plainText, webUrl } from "../pages/page.ts";
import { apiHeaders, formOf } from "./request-headers.ts";

export const hackernews: SearchEngine = {
  id: "hackernews",
  provider: "hackernews",
  weight: 0.4,
  domain: "algolia.com",
  start: searchRequest,
  read: (response) => readJson(response, { answer }),
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const fields = { query: text, tags: "story", hitsPerPage: "10" };
  return {
    step: "search",
    method: "GET",
    url: `https://hn.algolia.com/api/v1/search?${formOf(fields)}`,
    headers: apiHeaders(settings),
  };
}

function answer(value: unknown): Promise<EngineAnswer | undefined> {
  return listed(listAt(value, "hits"), async (hit) => {
    const points = numberAt(hit, "points");
    return {
      title: await plainText(textAt(hit, "title")),
      url: webUrl(textAt(hit, "url")) ?? discussionUrl(hit),
      snippet:
        (await plainText(textAt(hit, "story_text"))) ||
        (points === undefined ? "" : `Hacker News: ${points} points`),
      date: isoDate(textAt(hit, "created_at")),
    };
  });
}

/** Questions to the readers have no address but that of their discussion. */
function discussionUrl(hit: unknown): string {
  const id = textAt(hit, "objectID");
  return /^\d+$/.test(id) ? `https://news.ycombinator.com/item?id=${id}` : "";
}
