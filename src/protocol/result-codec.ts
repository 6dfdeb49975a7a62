import { product } from "../base/product.ts";
import { shapeContent } from "./content-codec.ts";
import { metaKeys } from "./envelope.ts";
import { createFault, errorCodes, isObject, type Params, type ProtocolFault } from "./json-rpc.ts";
import type { CacheHints } from "./list-parts.ts";
import type { CallToolResult, ContentBlock } from "./tool-types.ts";
import { isAtLeast, isModernVersion, type ProtocolVersion } from "./versions.ts";

export interface ResultExtras {
  /** For the cacheable methods (docs/spec/modern.md#caching). */
  readonly hints?: CacheHints;
  /** `_meta` that the handler gave. */
  readonly meta?: Params | undefined;
}

/**
 * A complete result as JSON text: its own members, and the members that the era requires. The server info is
 * always scorpiox-code's, whatever a handler or an upstream server wrote there (docs/spec/modern.md#results;
 * SH4).
 */
export function encodeComplete(
  members: Params,
  version: ProtocolVersion,
  { hints, meta }: ResultExtras = {},
): string {
  if (!isModernVersion(version)) return JSON.stringify({ ...members, _meta: legacyMeta(meta) });
  const _meta = meta === undefined ? modernResultMeta : { ...meta, ...modernResultMeta };
  return JSON.stringify({ resultType: "complete", ...members, ...hints, _meta });
}

function legacyMeta(meta: Params | undefined): Params | undefined {
  if (meta === undefined || !(metaKeys.serverInfo in meta)) return meta;
  const others = Object.entries(meta).filter(([key]) => key !== metaKeys.serverInfo);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** The result of `tools/call` as JSON text in the shape of `version` (docs/spec/legacy.md#shaping). Cheap to import in a Worker. */
export function encodeCallToolResult(result: CallToolResult, version: ProtocolVersion): string {
  const { isError, structuredContent, _meta: meta } = result;
  const isShown = structuredContent === undefined || hasStructure(structuredContent, version);
  const blocks = isShown ? result.content : withStructureAsText(result);
  const content = blocks.map((block) => shapeContent(block, version));
  const members = isShown ? { content, structuredContent, isError } : { content, isError };
  return encodeComplete(members, version, { meta });
}

/** The answer to refused arguments; has the form of a gateway `CallOutcome`. */
type BadArguments =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/** From 2025-11-25 on a result that the model can learn from (SEP-1303), before that -32602 (docs/spec/legacy.md#revisions). */
export function badArguments(version: ProtocolVersion, message: string): BadArguments {
  if (!isAtLeast(version, "2025-11-25")) {
    return { kind: "fault", fault: createFault(errorCodes.invalidParams, message) };
  }
  const result: CallToolResult = { content: [{ type: "text", text: message }], isError: true };
  return { kind: "result", json: encodeCallToolResult(result, version) };
}

/** Whether the revision can carry it: objects from 2025-06-18 on, any JSON from 2026-07-28 on (rule 2). */
function hasStructure(structuredContent: unknown, version: ProtocolVersion): boolean {
  if (isModernVersion(version)) return true;
  return isAtLeast(version, "2025-06-18") && isObject(structuredContent);
}

/**
 * The content for revisions that cannot carry structure. It becomes a text block only where the content has no text:
 * otherwise a model would read the same twice, beyond the client's limit.
 */
export function withStructureAsText(result: CallToolResult): readonly ContentBlock[] {
  const { content, structuredContent } = result;
  if (content.some(hasText)) return content;
  return [...content, { type: "text", text: JSON.stringify(structuredContent) }];
}

/** Begins a text in the place of data that a tool has promised, which for that reason alone is marked as an error. */
export const tooLongForData =
  "The call was made. Its result is too long to return as structured data; this is its text:";

/** Whether a text of the result is the JSON of its structured content, as servers that serve old clients send it. */
export function saysStructure({ content, structuredContent }: CallToolResult): boolean {
  const json = JSON.stringify(structuredContent);
  return content.some((block) => block.type === "text" && isSameJson(block.text, json));
}

/** Compares after parsing, so that an indented copy is recognised. Text that begins otherwise is not parsed at all. */
function isSameJson(text: string, json: string): boolean {
  if (text === json) return true;
  if (!text.trimStart().startsWith(json.charAt(0))) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}

function hasText(block: ContentBlock): boolean {
  if (block.type === "text") return block.text.trim() !== "";
  return block.type === "resource" && (block.resource.text ?? "").trim() !== "";
}

/** scorpiox-code's `Implementation` with the fields that the revision knows (docs/spec/legacy.md#revisions). */
export function serverInfoFor(version: ProtocolVersion): Readonly<Record<string, string>> {
  const { name, title, description } = product;
  if (!isAtLeast(version, "2025-06-18")) return { name, version: product.version };
  if (!isAtLeast(version, "2025-11-25")) return { name, title, version: product.version };
  return { name, title, version: product.version, description };
}

/** `_meta` of every modern result (docs/spec/modern.md#results). */
export const modernResultMeta: Readonly<Record<string, unknown>> = {
  [metaKeys.serverInfo]: serverInfoFor("2026-07-28"),
};
