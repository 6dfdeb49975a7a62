import type { EngineAnswer, EngineQuery, EngineRequest, SearchEngine } from "../engine.ts";
import { listed, rateLimited } from "../pages/answers.ts";
import { listAt, readJson, textAt } from "../pages/read-json.ts";
import { plainText, webUrl } from "../pages/page.ts";
import { apiHeaders, formOf } from "./request-headers.ts";

/** Its message, in JSON or bare, when the key has been used too often in a minute. */
const throttleText = /^(?:QPM|QPS) Limit Exceeded\b/i;
const sentenceCharsMax = 200;

/** Shape confirmed by the capture of 2026 (trimmed). */
export const marginalia: SearchEngine = {
  id: "marginalia",
  provider: "marginalia",
  weight: 0.4,
  domain: "marginalia-search.com",
  start: searchRequest,
  read: (response) => readJson(response, { failure, answer, sentence: throttled }),
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  return {
    step: "search",
    method: "GET",
    url: `https://api2.marginalia-search.com/search?${formOf({ query: text, count: "10" })}`,
    // The public key is shared by all; one's own has a limit of its own.
    headers: { ...apiHeaders(settings), "API-Key": settings.marginaliaKey ?? "public" },
  };
}

function throttled(text: string): EngineAnswer | undefined {
  if (text.length > sentenceCharsMax || !throttleText.test(text)) return undefined;
  return rateLimited(text.slice(0, 40));
}

function failure(value: unknown): EngineAnswer | undefined {
  const said = [
    value,
    ...["error", "message", "title", "detail"].map((name) => textAt(value, name)),
  ];
  for (const text of said) {
    const answer = typeof text === "string" ? throttled(text) : undefined;
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function answer(value: unknown): Promise<EngineAnswer | undefined> {
  return listed(listAt(value, "results"), async (entry) => ({
    title: await plainText(textAt(entry, "title")),
    url: webUrl(textAt(entry, "url")) ?? "",
    snippet: await plainText(textAt(entry, "description")),
  }));
}
