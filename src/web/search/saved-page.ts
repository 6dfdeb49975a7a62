import { AppError } from "../../base/errors.ts";
import { listPages } from "./engine-list.ts";
import {
  type EngineAnswer,
  type EngineMemory,
  type EngineQuery,
  type RawResult,
  engineIds,
} from "./engine.ts";
import { findEngine } from "./engines/engines.ts";
import { isPoisoned } from "./poisoning.ts";
import { parseQuery } from "./query.ts";

/** What is known about a page that was saved, besides its text. */
export interface SavedPageMeta {
  /** 200 when it is not known. */
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
  /** What was asked; without it, nothing can be said about poisoning. */
  readonly query?: string;
  /** BCP 47; English when it is not known. */
  readonly language?: string;
}

/** What the engine's reader makes of it: `blocked` is also for throttling, `empty` for an answer without results. */
export interface SavedPageReading {
  readonly state: "ok" | "blocked" | "empty" | "parse_error";
  readonly results: readonly Pick<RawResult, "title" | "url" | "snippet">[];
  /** Which block, which error; or that the results have nothing to do with the query and were dropped. */
  readonly note?: string;
}

const forgetful: EngineMemory = {
  get: () => undefined,
  set: () => undefined,
  delete: () => undefined,
};

/**
 * Reads the saved answer of an engine by the same code as a live one.
 * @throws AppError `usage` for a name that is no engine's
 */
export async function readSavedPage(
  engineName: string,
  text: string,
  meta: SavedPageMeta = {},
): Promise<SavedPageReading> {
  const engine = findEngine(engineName);
  if (engine === undefined) {
    throw new AppError(
      "usage",
      `"${engineName}" is no search engine; choose one of ${engineIds.join(", ")}.`,
    );
  }
  const query: EngineQuery = {
    text: meta.query ?? "",
    settings: {
      language: meta.language ?? "en",
      region: undefined,
      marginaliaKey: undefined,
      searxngUrl: undefined,
    },
    memory: forgetful,
  };
  const response = {
    status: meta.status ?? 200,
    url: meta.url ?? "",
    headers: meta.headers ?? {},
    text,
  };
  return readingOf(await engine.read(response, query), meta.query);
}

function readingOf(answer: EngineAnswer, query: string | undefined): SavedPageReading {
  switch (answer.state) {
    case "ok":
      return goodReading(answer.results, query);
    case "no_results":
      return { state: "empty", results: [] };
    case "blocked":
      return { state: "blocked", results: [], note: answer.detail };
    case "rate_limited":
      return { state: "blocked", results: [], note: `rate limited: ${answer.detail}` };
    case "parse_error":
    case "error":
      return { state: "parse_error", results: [], note: answer.detail };
  }
}

function goodReading(results: readonly RawResult[], query: string | undefined): SavedPageReading {
  if (query !== undefined && query.trim() !== "") {
    const pages = listPages(results, new Date());
    if (isPoisoned(pages, parseQuery(query).tokens)) {
      const note = `poisoned: none of ${results.length} results has to do with the query; all dropped`;
      return { state: "ok", results: [], note };
    }
  }
  return {
    state: "ok",
    results: results.map(({ title, url, snippet }) => ({ title, url, snippet })),
  };
}
