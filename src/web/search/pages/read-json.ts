import { messageOf } from "../../../base/errors.ts";
import { isObject } from "../../../base/values.ts";
import { isHeavyJson } from "../../../base/weight.ts";
import type { EngineAnswer, EngineResponse, SearchEngine } from "../engine.ts";
import {
  challengeOf,
  errorTitleAnswer,
  parseError,
  retryAfterMs,
  statusAnswer,
  locationAnswer,
} from "./answers.ts";
import { type EnginePage, openPage } from "./page.ts";

/** Rules that distinguish the answers of one API. */
export interface JsonRules {
  /** The failure in the body, whatever the status: error objects come with 200 as well. */
  readonly failure?: (value: unknown) => EngineAnswer | undefined;
  /** The answer of a body that came with a good status; undefined when it has another shape. */
  readonly answer: (value: unknown) => EngineAnswer | undefined | Promise<EngineAnswer | undefined>;
  /** The meaning of a body that is not JSON, such as a sentence about a limit. */
  readonly sentence?: (text: string) => EngineAnswer | undefined;
  /** The engine's own wall, when it answers with a page. */
  readonly wall?: (page: EnginePage) => EngineAnswer | undefined;
  readonly judgeLocation?: SearchEngine["judgeLocation"];
}

/** Reads a response that should be JSON. */
export async function readJson(response: EngineResponse, rules: JsonRules): Promise<EngineAnswer> {
  const moved = locationAnswer(response, rules.judgeLocation);
  if (moved !== undefined) return moved;
  try {
    const value = parseEngineJson(response.text);
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

/** Reading of JSON that nobody promises: each function gives nothing where the shape is another one. */

/** More than any API lists when it is asked for ten; each entry costs parsing. */
const entriesMax = 200;

/**
 * Undefined when the text is not JSON, or has too many values. Bare control characters in strings, which Baidu sends,
 * become spaces.
 */
export function parseEngineJson(written: string): unknown {
  // A byte order mark is white space here, but not to the parser.
  const text = written.trim();
  if (isHeavyJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    try {
      // eslint-disable-next-line no-control-regex -- these are what JSON forbids
      return JSON.parse(text.replaceAll(/[\u0000-\u001f]/g, " "));
    } catch {
      return undefined;
    }
  }
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

/** The value at a path of names. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    const record = recordOf(here);
    here = record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
  }
  return here;
}

/** The list at a path of names, the first 200 of it. */
export function listAt(value: unknown, ...path: readonly string[]): unknown[] | undefined {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.slice(0, entriesMax) : undefined;
}

/** Texts and numbers as text; all else is empty. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  if (typeof found === "string") return found;
  return typeof found === "number" ? String(found) : "";
}

/** Finite numbers, also when they are written as text. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const text = textAt(value, ...path);
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}
