import { isObject, ownValue } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { saysStructure } from "../../protocol/result-codec.ts";
import type { CallToolResult } from "../../protocol/tool-types.ts";
import { promisesStructure } from "../resolved-call.ts";
import type { CallRequest } from "../call.ts";

/**
 * Own lines at the end of a result, which is JSON text. They are rare: parsing it costs little. Where clients show
 * their model the structured content alone, a line in the text alone would reach nobody: results of own tools have it
 * in both. Nothing is ever added to the structured content of an upstream server.
 */

/**
 * The result with waiting lines, which are unrelated to it; undefined when it cannot carry them, and they have to
 * wait for one that can: a result of an upstream server of which the model may see the JSON alone, or one that is full.
 */
export function withWaitingLines(
  call: CallRequest,
  json: string,
  lines: readonly string[],
): string | undefined {
  const result = readResult(json);
  if (result === undefined) return undefined;
  if (isForeign(call) && mayHideText(call, result)) return undefined;
  const told = isForeign(call) ? withText(result, lines) : withNotes(result, lines);
  return fits(told, call.client.limits.resultCharsMax) ? JSON.stringify(told) : undefined;
}

/** The result with lines about itself, which never wait. */
export function withLinesAbout(call: CallRequest, json: string, lines: readonly string[]): string {
  const result = readResult(json);
  if (result === undefined) return json;
  if (!isForeign(call)) return JSON.stringify(withNotes(result, lines));
  const told = mayHideText(call, result) ? asText(call, result, lines) : withText(result, lines);
  return JSON.stringify(told);
}

type Result = Params & CallToolResult;

function readResult(json: string): Result | undefined {
  const result: unknown = JSON.parse(json);
  return isObject(result) && Array.isArray(result.content) ? ownValue(result) : undefined;
}

function isForeign({ target }: CallRequest): boolean {
  return target?.kind === "tool";
}

/** Whether the model may see only the structured content. */
function mayHideText(
  { client, wantsData }: CallRequest,
  { structuredContent }: CallToolResult,
): boolean {
  const { shows } = client.limits;
  if (structuredContent === undefined || wantsData === true) return false;
  return shows !== "text" && shows !== "both";
}

function withText(result: Result, lines: readonly string[]): Result {
  return { ...result, content: below(result.content, lines) };
}

/** Some clients join texts with nothing between them: a line begins a line. */
function below(content: Result["content"], lines: readonly string[]): Result["content"] {
  const last = content.findLast((block) => block.type === "text");
  const gap = last === undefined || last.text.endsWith("\n") ? "" : "\n";
  return [...content, { type: "text", text: `${gap}${lines.join("\n")}`.toWellFormed() }];
}

/** A result of an own tool; each of their schemas has `notes`. */
function withNotes(result: Result, lines: readonly string[]): Result {
  const told = withText(result, lines);
  const { structuredContent } = result;
  if (!isObject(structuredContent)) return told;
  const before: readonly unknown[] = Array.isArray(structuredContent.notes)
    ? structuredContent.notes
    : [];
  const notes = [...before, ...lines.map((line) => line.toWellFormed())];
  return { ...told, structuredContent: { ...structuredContent, notes } };
}

/** A result of an upstream server without its structured content: the texts have all of it. */
function asText(call: CallRequest, result: Result, lines: readonly string[]): Result {
  const { structuredContent, ...rest } = result;
  const json = saysStructure(result) ? [] : [JSON.stringify(structuredContent)];
  const isMarked = !result.isError && promisesStructure(call);
  const made = isMarked ? ["The call was made, and this is its result; but:"] : [];
  const content = below(result.content, [...json, ...made, ...lines]);
  return { ...rest, content, isError: result.isError || isMarked };
}

/** Within the client's limit: all texts together, and the JSON by itself. */
function fits({ content, structuredContent }: CallToolResult, charsMax: number): boolean {
  let chars = 0;
  for (const block of content) {
    if (block.type === "text") chars += block.text.length;
    if (block.type === "resource") chars += block.resource.text?.length ?? 0;
  }
  if (chars > charsMax) return false;
  return structuredContent === undefined || JSON.stringify(structuredContent).length <= charsMax;
}
