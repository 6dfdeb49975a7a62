import { resultBlocksMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import { readBlock } from "./read-content.ts";

export type ReadCallResult =
  | { readonly kind: "result"; readonly result: CallToolResult }
  /** `reason` says what is wrong, to stand after "the answer". */
  | { readonly kind: "malformed"; readonly reason: string };

/** What another server answered to `tools/call`, if it is what the protocol demands (CA16). */
export function readCallResult(value: unknown): ReadCallResult {
  if (!isObject(value)) return malformed("is no object");
  const { isError = false, _meta: meta, structuredContent } = value;
  if (typeof isError !== "boolean")
    return malformed("has an isError that is neither true nor false");
  if (meta !== undefined && !isObject(meta)) return malformed("has a _meta that is no object");
  const content = readBlocks(value.content, structuredContent);
  if (typeof content === "string") return malformed(content);
  return {
    kind: "result",
    result: {
      content,
      isError,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(meta === undefined ? {} : { _meta: meta }),
    },
  };
}

/** What is wrong, as a text, when they cannot be used. */
function readBlocks(content: unknown, structured: unknown): readonly ContentBlock[] | string {
  // Servers forget it beside structured content, which says all there is to say.
  if (content === undefined && structured !== undefined) {
    return [{ type: "text", text: JSON.stringify(structured) }];
  }
  if (content === undefined) return "has no content";
  if (!Array.isArray(content)) return "has a content that is no array";
  if (content.length > resultBlocksMax) return `has ${content.length} blocks of content`;
  const blocks: ContentBlock[] = [];
  for (const [index, value] of content.entries()) {
    const read = readBlock(value);
    if (read.kind === "bad") return `has a content[${index}] that ${read.reason}`;
    blocks.push(read.block);
  }
  return blocks;
}

function malformed(reason: string): ReadCallResult {
  return { kind: "malformed", reason };
}
