import { messageOf } from "../../../base/errors.ts";
import type { EngineAnswer, EngineResponse, RawResult, SearchEngine } from "../engine.ts";
import {
  challengeOf,
  errorTitleAnswer,
  failed,
  noResults,
  parseError,
  statusAnswer,
  wallAt,
} from "./answers.ts";
import { type EnginePage, openPage } from "./page.ts";

/** Rules that distinguish the pages of one engine. All of it looks at nodes, never at the text of the page. */
export interface PageRules {
  /** In the page's order; entries without title or address are dropped. */
  readonly results: (page: EnginePage) => readonly RawResult[] | Promise<readonly RawResult[]>;
  /** Host and path of pages of the engine itself, its ads and its click counters: no results. */
  readonly internal?: RegExp;
  /** The engine's own marker of an answer without results. */
  readonly isEmpty: (page: EnginePage) => boolean;
  /** The engine's own captcha, wall or denial; of a page without results. */
  readonly block?: (page: EnginePage) => EngineAnswer | undefined;
  readonly judgeLocation?: SearchEngine["judgeLocation"];
}

/**
 * Reads a response that should be a page. Results have precedence: pages of engines carry scripts of their captchas
 * also when all is well. A page without results and without a marker has changed.
 */
export async function readEnginePage(
  response: EngineResponse,
  rules: PageRules,
): Promise<EngineAnswer> {
  const moved = locationAnswer(response, rules.judgeLocation);
  if (moved !== undefined) return moved;
  try {
    return await judgePage(await openPage(response.text), response, rules);
  } catch (error) {
    return parseError(messageOf(error));
  }
}

async function judgePage(
  page: EnginePage,
  response: EngineResponse,
  rules: PageRules,
): Promise<EngineAnswer> {
  const unread = statusAnswer(response);
  if (unread === undefined) {
    const results = (await rules.results(page)).filter((result) => isUsable(result, rules));
    if (results.length > 0) return { state: "ok", results };
  }
  const wall = rules.block?.(page);
  if (wall !== undefined) return wall;
  if (unread === undefined && rules.isEmpty(page)) return noResults;
  return (
    challengeOf(page, response) ??
    unread ??
    errorTitleAnswer(page, response) ??
    parseError("no results and no sign of why: the markup may have changed")
  );
}

function isUsable({ title, url }: RawResult, { internal }: PageRules): boolean {
  const target = URL.parse(url);
  if (title === "" || target === null) return false;
  return internal === undefined || !internal.test(`${target.hostname}${target.pathname}`);
}

/** Where a response came from, or wants to send the reader, may say what it is. */
export function locationAnswer(
  { status, url, headers }: EngineResponse,
  judgeLocation: SearchEngine["judgeLocation"],
): EngineAnswer | undefined {
  const final = URL.parse(url);
  const said = final === null ? undefined : wallAt(final, judgeLocation);
  if (said !== undefined) return said;
  if (status < 300 || status >= 400) return undefined;
  const target = URL.parse(headers["location"] ?? "", url);
  if (target === null) return failed(`HTTP ${status} without a location`);
  return wallAt(target, judgeLocation) ?? failed(`redirected to ${target.host}`);
}
