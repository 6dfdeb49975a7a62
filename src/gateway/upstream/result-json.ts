import { encodeCallToolResult } from "../../protocol/call-result-codec.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import type { ProtocolVersion } from "../../protocol/versions.ts";

/**
 * The result of another server's tool, as its Worker gives it, in the shape of the client's revision. Its members and no
 * others: what a server says of itself is never presented as ours (CA11).
 * @param notes lines for its end
 */
export function resultFor(
  json: string,
  version: ProtocolVersion,
  notes: readonly string[],
): string {
  const read: unknown = JSON.parse(json);
  const result = isObject(read) ? read : {};
  const blocks = Array.isArray(result.content) ? (result.content as ContentBlock[]) : [];
  const content = notes.length === 0 ? blocks : [...blocks, textBlock(notes.join("\n"))];
  const { structuredContent, _meta } = result;
  const shaped: CallToolResult = {
    content,
    isError: result.isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...metaOf(_meta),
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

/** Who answered is said for every result by us. */
function metaOf(meta: unknown): { readonly _meta?: Params } {
  if (!isObject(meta)) return {};
  const { "io.modelcontextprotocol/serverInfo": _, ...rest } = meta;
  return Object.keys(rest).length === 0 ? {} : { _meta: rest };
}
