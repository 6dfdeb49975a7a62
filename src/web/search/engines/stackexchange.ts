import type { EngineAnswer, EngineQuery, EngineRequest, SearchEngine } from "../engine.ts";
import { blocked, failed, listed, rateLimited } from "../pages/answers.ts";
import { listAt, numberAt, readJson, textAt, valueAt } from "../pages/read-json.ts";
import { isoDate, plainText, webUrl } from "../pages/page.ts";
import { apiHeaders, formOf } from "./request-headers.ts";

const secondMs = 1_000;
/** `error_id`s: too many requests; and those about keys and access. */
const throttleId = 502;
const deniedIds: ReadonlySet<number> = new Set([401, 402, 403, 405, 406]);

export const stackexchange: SearchEngine = {
  id: "stackexchange",
  provider: "stackexchange",
  weight: 0.7,
  domain: "stackexchange.com",
  start: searchRequest,
  read: (response) => readJson(response, { failure, answer }),
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  const fields = {
    q: text,
    site: "stackoverflow",
    sort: "relevance",
    order: "desc",
    pagesize: "10",
  };
  return {
    step: "search",
    method: "GET",
    url: `https://api.stackexchange.com/2.3/search/advanced?${formOf(fields)}`,
    headers: apiHeaders(settings),
  };
}

function backoffMs(value: unknown): number | undefined {
  const seconds = numberAt(value, "backoff");
  return seconds === undefined || seconds <= 0 ? undefined : seconds * secondMs;
}

function failure(value: unknown): EngineAnswer | undefined {
  const id = numberAt(value, "error_id");
  if (id === undefined) return undefined;
  const detail = `error_id ${id}`;
  if (id === throttleId) {
    // "too many requests from this IP, more requests available in 1234 seconds"
    const said = /\bin (\d+) seconds?\b/.exec(textAt(value, "error_message"))?.[1];
    const saidMs = said === undefined ? undefined : Number(said) * secondMs;
    return rateLimited(detail, backoffMs(value) ?? saidMs);
  }
  return deniedIds.has(id) ? blocked(`denied, ${detail}`, "denied") : failed(detail);
}

async function answer(value: unknown): Promise<EngineAnswer | undefined> {
  const said = await listed(listAt(value, "items"), async (item) => ({
    title: await plainText(textAt(item, "title")),
    url: webUrl(textAt(item, "link")) ?? "",
    snippet: snippetOf(item),
    date: isoDate(numberAt(item, "creation_date")),
  }));
  const pauseMs = backoffMs(value);
  const mayPause = said?.state === "ok" || said?.state === "no_results";
  return mayPause && pauseMs !== undefined ? { ...said, backoffMs: pauseMs } : said;
}

/** The API gives no text of the question: these are the known facts about it instead. */
function snippetOf(item: unknown): string {
  const tags = (listAt(item, "tags") ?? []).map((tag) => textAt(tag)).filter((tag) => tag !== "");
  const facts = [
    valueAt(item, "is_answered") === true ? "answered question" : "open question",
    `score ${numberAt(item, "score") ?? 0}`,
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]),
  ];
  return `Stack Overflow: ${facts.join(" · ")}`;
}
