import { messageOf } from "../../../base/errors.ts";
import type { EngineAnswer, EngineResponse, SearchEngine } from "../engine.ts";
import {
  challengeOf,
  errorTitleAnswer,
  parseError,
  retryAfterMs,
  statusAnswer,
} from "./answers.ts";
import { parseJson } from "./json-value.ts";
import { type Page, openPage } from "./page.ts";
import { locationAnswer } from "./read-page.ts";

/** Rules that distinguish the answers of one API. */
export interface JsonRules {
  /** The failure in the body, whatever the status: error objects come with 200 as well. */
  readonly failure?: (value: unknown) => EngineAnswer | undefined;
  /** The answer of a body that came with a good status; undefined when it has another shape. */
  readonly answer: (value: unknown) => EngineAnswer | undefined | Promise<EngineAnswer | undefined>;
  /** The meaning of a body that is not JSON, such as a sentence about a limit. */
  readonly sentence?: (text: string) => EngineAnswer | undefined;
  /** The engine's own wall, when it answers with a page. */
  readonly wall?: (page: Page) => EngineAnswer | undefined;
  readonly judgeLocation?: SearchEngine["judgeLocation"];
}

/** Reads a response that should be JSON. */
export async function readJson(response: EngineResponse, rules: JsonRules): Promise<EngineAnswer> {
  const moved = locationAnswer(response, rules.judgeLocation);
  if (moved !== undefined) return moved;
  try {
    const value = parseJson(response.text);
    if (value === undefined) return await withoutJson(response, rules);
    const status = statusAnswer(response);
    const failure = rules.failure?.(value) ?? status;
    if (failure !== undefined) return withPause(failure, response);
    return (await rules.answer(value)) ?? parseError("JSON of another shape than expected");
  } catch (error) {
    return parseError(messageOf(error));
  }
}

/** The duration of a throttle may be in the head only. */
function withPause(answer: EngineAnswer, { headers }: EngineResponse): EngineAnswer {
  if (answer.state !== "rate_limited") return answer;
  return { ...answer, retryAfterMs: answer.retryAfterMs ?? retryAfterMs(headers) };
}

async function withoutJson(response: EngineResponse, rules: JsonRules): Promise<EngineAnswer> {
  const said = rules.sentence?.(response.text.trim());
  if (said !== undefined) return withPause(said, response);
  const page = await openPage(response.text);
  const wall = rules.wall?.(page) ?? challengeOf(page, response);
  return (
    wall ??
    statusAnswer(response) ??
    errorTitleAnswer(page, response) ??
    parseError("the answer is not JSON")
  );
}
