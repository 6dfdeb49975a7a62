import type * as z from "zod/mini";

import { AppError, messageOf } from "../../base/errors.ts";
import { structuredBytesMax } from "../../base/limits.ts";
import { isAtLeast } from "../../protocol/message.ts";
import { badArguments, encodeCallToolResult, tooLongForData } from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock, ResourceLink } from "../../protocol/tool-types.ts";
import { fitText, isShort, savedLinks } from "../shown-output.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../tool.ts";
import type { FromToolWorker, JobMessage } from "./messages.ts";

/**
 * Checks the arguments, runs the handler and shapes its result. Never rejects or throws. Answers
 * at once when the handler does: each promise on the way costs a tenth of a cheap call.
 */
export function runJob(
  tool: AnyTool,
  job: JobMessage,
  context: ToolContext,
): FromToolWorker | Promise<FromToolWorker> {
  const parsed = tool.input.safeParse(job.args ?? {}, { reportInput: true });
  if (!parsed.success) return refuse(tool, job, parsed.error.issues);
  try {
    const output = tool.handler(parsed.data, context);
    if (!(output instanceof Promise) && isShort(output.text, context.limits)) {
      return done(tool, job, output, output.text, []);
    }
    return finish(tool, job, output, context);
  } catch (error) {
    return failed(tool, job, error);
  }
}

async function finish(
  tool: AnyTool,
  job: JobMessage,
  pending: ToolOutput | Promise<ToolOutput>,
  context: ToolContext,
): Promise<FromToolWorker> {
  try {
    const output = await pending;
    const { text, saved } = await fitText(output.text, context);
    return done(tool, job, output, text, savedLinks(saved, context.limits));
  } catch (error) {
    return failed(tool, job, error);
  }
}

function refuse(tool: AnyTool, job: JobMessage, issues: readonly Issue[]): FromToolWorker {
  const faults = describeIssues(issues, Object.keys(tool.input.shape));
  const refused = badArguments(job.version, `Invalid arguments for ${tool.name}: ${faults}`);
  const { jobId } = job;
  return refused.kind === "fault"
    ? { jobId, ...refused, isInvalid: true }
    : { jobId, kind: "done", json: refused.json, isInvalid: true };
}

/** The result within its bounds, so that nothing huge ever crosses to the main thread. */
function done(
  tool: AnyTool,
  job: JobMessage,
  output: ToolOutput,
  text: string,
  links: readonly ResourceLink[],
): FromToolWorker {
  const { jobId, wantsData } = job;
  const content: ContentBlock[] = [
    ...(output.images ?? []),
    { type: "text", text: text.toWellFormed() },
    ...(output.links ?? []),
    ...links,
  ];
  const { afterDelivery, isError = false } = output;
  const data = tool.output === undefined ? undefined : output.structured;
  const result = { content, isError };
  return {
    kind: "done",
    jobId,
    json:
      tool.answersInJson === true && data !== undefined
        ? withData(job, result, data)
        : encodeCallToolResult(result, job.version),
    ...(wantsData === true ? dataFor(data) : {}),
    ...(afterDelivery === undefined ? {} : { afterDelivery }),
  };
}

/**
 * Data is never cut: data longer than the client's limit is left out, although the tool has promised it. Nothing huge is
 * measured twice: most results are shorter as a whole.
 */
function withData(
  { version, limits, wantsData }: JobMessage,
  result: CallToolResult,
  structuredContent: NonNullable<ToolOutput["structured"]>,
): string {
  if (!isAtLeast(version, "2025-06-18")) return encodeCallToolResult(result, version);
  const json = encodeCallToolResult({ ...result, structuredContent }, version);
  const charsMax = limits.resultCharsMax;
  if (json.length <= charsMax || JSON.stringify(structuredContent).length <= charsMax) return json;
  if (wantsData === true) return encodeCallToolResult(result, version);
  const said = { type: "text" as const, text: `${tooLongForData}\n` };
  const told = { content: [said, ...result.content], isError: true };
  return encodeCallToolResult(told, version);
}

/** For programs, within the bound of structured results. */
function dataFor(data: ToolOutput["structured"]): { readonly dataJson?: string } {
  const dataJson = JSON.stringify(data) as string | undefined;
  return dataJson === undefined || dataJson.length > structuredBytesMax ? {} : { dataJson };
}

function failed(tool: AnyTool, { jobId, version }: JobMessage, error: unknown): FromToolWorker {
  const isExpected = error instanceof AppError;
  const text = isExpected ? error.message : `${tool.name} failed: ${messageOf(error)}`;
  const content = [{ type: "text" as const, text: text.slice(0, 4_000).toWellFormed() }];
  return { kind: "done", jobId, json: encodeCallToolResult({ content, isError: true }, version) };
}

/** One fault that zod found. */
type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue["code"]> = Extract<Issue, { readonly code: Code }>;

/** Faults in one message; a model corrects a few at a time. */
const issuesMax = 20;
/** Characters of the whole message: a name that the client made up may be long. */
const textCharsMax = 4_000;

/** The faults of a tool's arguments, one sentence for each, with its remedy; bounded. */
export function describeIssues(issues: readonly Issue[], allowed: readonly string[]): string {
  const told = issues.slice(0, issuesMax).map((issue) => describeIssue(issue, allowed));
  if (issues.length > issuesMax) told.push(`And ${issues.length - issuesMax} more.`);
  const text = told.join(" ");
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax)}…`.toWellFormed();
}

function describeIssue(issue: Issue, allowed: readonly string[]): string {
  const where = issue.path.length === 0 ? "The arguments" : `\`${issue.path.join(".")}\``;
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownNames(issue.keys, allowed);
    case "invalid_type":
      return wrongType(where, issue);
    case "too_small":
      return tooSmall(where, issue);
    case "too_big":
      return tooBig(where, issue);
    case "invalid_value":
      return oneOf(where, issue.values.map(String).join(", "), issue.input);
    case "not_multiple_of":
    case "invalid_format":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return `${where} is not valid: ${issue.message}.`;
  }
}

function unknownNames(keys: readonly string[], allowed: readonly string[]): string {
  const names = keys.slice(0, issuesMax).map((key) => `\`${key.slice(0, 100)}\``);
  const more = keys.length > issuesMax ? ` and ${keys.length - issuesMax} more` : "";
  return `Unknown argument ${names.join(", ")}${more}. ${allowedNames(allowed)}`;
}

function wrongType(where: string, { path, expected, input }: IssueOf<"invalid_type">): string {
  if (path.length === 0) return "The arguments must be an object.";
  return input === undefined
    ? `${where} is missing: it must be ${article(expected)}.`
    : `${where} must be ${article(expected)}, not ${shown(input)}.`;
}

function tooSmall(where: string, { origin, minimum, input }: IssueOf<"too_small">): string {
  return origin === "string"
    ? tooShort(where, Number(minimum))
    : `${where} must be at least ${minimum}, not ${shown(input)}.`;
}

function tooBig(where: string, { origin, maximum, input }: IssueOf<"too_big">): string {
  return origin === "string"
    ? `${where} must not be longer than ${maximum} characters.`
    : `${where} must be at most ${maximum}, not ${shown(input)}.`;
}

function tooShort(where: string, charsMin: number): string {
  return charsMin === 1
    ? `${where} must not be empty.`
    : `${where} must not be shorter than ${charsMin} characters.`;
}

function oneOf(where: string, values: string, given: unknown): string {
  return given === undefined
    ? `${where} is missing: it must be one of ${values}.`
    : `${where} must be one of ${values}, not ${shown(given)}.`;
}

function allowedNames(allowed: readonly string[]): string {
  if (allowed.length === 0) return "This tool takes none.";
  return `Allowed: ${allowed.map((name) => `\`${name}\``).join(", ")}.`;
}

function article(type: string): string {
  const name = type === "int" ? "integer" : type;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
