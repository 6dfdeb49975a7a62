import { isObject } from "../../base/values.ts";
import { blockText, cleanText, textOf } from "./text-of.ts";
import type { ToolFormat } from "./tool-definitions.ts";

/** The outcome of a call, as frameworks for function calling expect it (CA20). */
export interface PlainResult {
  readonly success: boolean;
  readonly output: string;
  /** `output` again, when the tool failed. */
  readonly error?: string;
  readonly structured?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** @param result a result of `tools/call` */
export function plainResult(result: unknown): PlainResult {
  const output = textOf(result);
  const fields = isObject(result) ? result : {};
  const { structuredContent } = fields;
  return {
    success: fields.isError !== true,
    output,
    ...(fields.isError === true ? { error: output } : {}),
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  };
}

/** The result of a call that was not made, or that ended with a protocol error. */
export function failedResult(text: string): Fields {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * The result of `tools/call` in `format`.
 * @param callId of the call that it answers; with it, OpenAI's format is the message that goes back to the model
 */
export function resultIn(format: ToolFormat, result: unknown, callId?: string): unknown {
  switch (format) {
    case "mcp":
      return result;
    case "openai":
      return callId === undefined ? plainResult(result) : toolMessage(result, callId);
    case "anthropic":
      return toolResultBlock(result, callId ?? "");
  }
}

function toolMessage(result: unknown, callId: string): Fields {
  return { role: "tool", tool_call_id: callId, content: textOf(result) };
}

function toolResultBlock(result: unknown, callId: string): Fields {
  const fields = isObject(result) ? result : {};
  const blocks = Array.isArray(fields.content) ? fields.content : [];
  const content =
    blocks.length > 0 ? blocks.map(anthropicBlock) : [{ type: "text", text: textOf(result) }];
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: content.filter((block) => block.type !== "text" || block.text !== ""),
    is_error: fields.isError === true,
  };
}

/** The image types that the API accepts; other images are named in a text. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function anthropicBlock(block: unknown): Fields {
  if (isObject(block) && block.type === "image" && typeof block.data === "string") {
    const { mimeType, data } = block;
    if (typeof mimeType === "string" && imageTypes.has(mimeType)) {
      return { type: "image", source: { type: "base64", media_type: mimeType, data } };
    }
  }
  return { type: "text", text: cleanText(blockText(block)) };
}
