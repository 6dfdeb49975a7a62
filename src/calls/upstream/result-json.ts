import { encodeCallToolResult } from "../../protocol/call-result-codec.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import type { ProtocolVersion } from "../../protocol/versions.ts";

/** What a search has found, as the Worker gives it, in the shape of the client's revision. */
export function resultFor(json: string, version: ProtocolVersion): string {
  const read: unknown = JSON.parse(json);
  const result = isObject(read) ? read : {};
  const content = Array.isArray(result.content) ? (result.content as ContentBlock[]) : [];
  const { structuredContent } = result;
  const shaped: CallToolResult = {
    content,
    isError: result.isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
  return encodeCallToolResult(shaped, version);
}

/** A text of ours as a result. */
export function textResult(text: string, isError: boolean, version: ProtocolVersion): string {
  return encodeCallToolResult({ content: [textBlock(text)], isError }, version);
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text: text.toWellFormed() };
}
