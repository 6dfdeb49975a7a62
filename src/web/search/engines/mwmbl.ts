import type { EngineAnswer, EngineRequest, EngineQuery, SearchEngine } from "../engine.ts";
import { listed } from "../pages/answers.ts";
import { listAt, readJson, textAt, valueAt } from "../pages/read-json.ts";
import { webUrl } from "../pages/page.ts";
import { apiHeaders, formOf } from "./request-headers.ts";

export const mwmbl: SearchEngine = {
  id: "mwmbl",
  provider: "mwmbl",
  weight: 0.3,
  domain: "mwmbl.org",
  start: searchRequest,
  read: (response) => readJson(response, { answer }),
};

function searchRequest({ text, settings }: EngineQuery): EngineRequest {
  return {
    step: "search",
    method: "GET",
    url: `https://api.mwmbl.org/api/v1/search/?${formOf({ s: text })}`,
    headers: apiHeaders(settings),
  };
}

function answer(value: unknown): Promise<EngineAnswer | undefined> {
  return listed(listAt(value), (entry) => ({
    title: joined(entry, "title"),
    url: webUrl(textAt(entry, "url")) ?? "",
    snippet: joined(entry, "extract"),
  }));
}

/** Texts come in pieces, of which the bold ones are words of the query; or are null, or missing. */
function joined(entry: unknown, name: string): string {
  const pieces = listAt(entry, name);
  const text =
    pieces === undefined
      ? textAt(entry, name)
      : pieces.map((piece) => textAt(valueAt(piece, "value"))).join("");
  return text.replaceAll(/\s+/g, " ").trim();
}
