import { AppError, messageOf } from "../base/errors.ts";
import { structuredBytesMax } from "../base/limits.ts";
import { badArguments, encodeCallToolResult } from "../protocol/call-result-codec.ts";
import type { CallToolResult, ContentBlock } from "../protocol/tool-types.ts";
import { fitText, savedLinks } from "../tools/shown-output.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../tools/tool.ts";
import { describeIssues } from "./argument-errors.ts";
import type { FromWorker, JobMessage } from "./messages.ts";

/** Checks the arguments, runs the handler and shapes what it returned. Never rejects. */
export async function runJob(
  tool: AnyTool,
  job: JobMessage,
  context: ToolContext,
): Promise<FromWorker> {
  const { jobId, version } = job;
  const parsed = tool.input.safeParse(job.args ?? {}, { reportInput: true });
  if (!parsed.success) {
    const faults = describeIssues(parsed.error.issues, Object.keys(tool.input.shape));
    const refused = badArguments(version, `Invalid arguments for ${tool.name}: ${faults}`);
    return refused.kind === "fault"
      ? { kind: "fault", jobId, fault: refused.fault }
      : { kind: "done", jobId, json: refused.json };
  }
  try {
    const output = await tool.handler(parsed.data as never, context);
    const json = encodeCallToolResult(await toResult(output, tool, context), version);
    assertBounded(json, output);
    return { kind: "done", jobId, json, ...afterDeliveryOf(output) };
  } catch (error) {
    return { kind: "done", jobId, json: encodeCallToolResult(failure(tool, error), version) };
  }
}

/** Text is bounded by then; what remains is a structured result (or an image) out of all measure. */
function assertBounded(json: string, { images = [] }: ToolOutput): void {
  const imageChars = images.reduce((sum, image) => sum + image.data.length, 0);
  if (json.length - imageChars <= structuredBytesMax) return;
  const limit = Math.round(structuredBytesMax / 1024);
  throw new AppError("limit", `The structured result is larger than ${limit} KiB.`);
}

function afterDeliveryOf({ afterDelivery }: ToolOutput): Pick<ToolOutput, "afterDelivery"> {
  return afterDelivery === undefined ? {} : { afterDelivery };
}

/** Bounds the result here, so that nothing huge ever crosses to the main thread. */
async function toResult(
  output: ToolOutput,
  tool: AnyTool,
  context: ToolContext,
): Promise<CallToolResult> {
  const { text, saved } = await fitText(output.text, context);
  const content: ContentBlock[] = [
    ...(output.images ?? []),
    { type: "text", text: text.toWellFormed() },
    ...(output.links ?? []),
    ...savedLinks(saved),
  ];
  const isError = output.isError ?? false;
  if (output.structured === undefined || tool.output === undefined) return { content, isError };
  return { content, structuredContent: output.structured, isError };
}

function failure(tool: AnyTool, error: unknown): CallToolResult {
  const isExpected = error instanceof AppError;
  const text = isExpected ? error.message : `${tool.name} failed: ${messageOf(error)}`;
  return { content: [{ type: "text", text: text.slice(0, 4_000).toWellFormed() }], isError: true };
}
