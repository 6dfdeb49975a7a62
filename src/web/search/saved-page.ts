import { AppError } from "../../base/errors.ts";
import { cleanLine, cutAtWord } from "../dom/clean-text.ts";
import { listPages } from "./engine-list.ts";
import {
  type EngineAnswer,
  type EngineMemory,
  type EngineQuery,
  type RawResult,
  engineIds,
} from "./engine.ts";
import { findEngine } from "./engines/engines.ts";
import { isPoisoned } from "./judge-settled.ts";
import { openPage } from "./pages/page.ts";
import { parseQuery, queryCharsMax } from "./query.ts";

/** The box of a page of results still holds the query; its name is that of the engine's parameter. */
const boxSelector = ["q", "query", "p", "wd", "text"]
  .flatMap((name) => [`input[name="${name}"]`, `textarea[name="${name}"]`])
  .join(", ");

/** The query of a saved page of results; undefined when the page does not contain it. */
async function askedQuery(text: string): Promise<string | undefined> {
  if (!text.trimStart().startsWith("<")) return undefined;
  const page = await openPage(text).catch(() => undefined);
  return page
    ?.all(boxSelector)
    .map((box) => cutAtWord(cleanLine(box.attribs["value"] ?? page.text(box)), queryCharsMax))
    .find((query) => query !== "");
}

/** The known facts about a saved page, besides its text. */
export interface SavedPageMeta {
  /** 200 when it is not known. */
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
  /** The query; without it, poisoning cannot be judged. */
  readonly query?: string;
  /** BCP 47; English when it is not known. */
  readonly language?: string;
}

/** The result of the engine's reader: `blocked` is also for throttling, `empty` for an answer without results. */
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
 * @throws AppError `usage` for an unknown engine name
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
      `"${engineName}" is not a search engine; choose one of ${engineIds.join(", ")}.`,
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
  const answer = await engine.read(response, query);
  return answer.state === "ok"
    ? await goodReading(answer.results, text, meta)
    : poorReading(answer);
}

type PoorAnswer = Exclude<EngineAnswer, { state: "ok" }>;

function poorReading(answer: PoorAnswer): SavedPageReading {
  switch (answer.state) {
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

/** Unrelated results are dropped when the query is known, and only noted when the page alone gives it. */
async function goodReading(
  results: readonly RawResult[],
  text: string,
  { query }: SavedPageMeta,
): Promise<SavedPageReading> {
  const unrelated = `poisoned: none of ${results.length} results has to do with`;
  if (isUnrelated(results, query)) {
    return { state: "ok", results: [], note: `${unrelated} the query; all dropped` };
  }
  const shown = results.map(({ title, url, snippet }) => ({ title, url, snippet }));
  const asked = query === undefined ? await askedQuery(text) : undefined;
  if (!isUnrelated(results, asked)) return { state: "ok", results: shown };
  const note = `${unrelated} "${asked}", which the page was asked for; a search drops them all`;
  return { state: "ok", results: shown, note };
}

function isUnrelated(results: readonly RawResult[], query: string | undefined): boolean {
  if (query === undefined || cleanLine(query) === "") return false;
  return isPoisoned(listPages(results, new Date()), parseQuery(query).tokens);
}
