import { product } from "../base/product.ts";
import { isObject } from "../base/values.ts";
import { createFault, errorCodes, type Params, type ProtocolFault } from "./json-rpc.ts";
import {
  type CacheHints,
  shapeAnnotations,
  shapeIcons,
  toolsListCacheHints,
} from "./list-parts.ts";
import { metaKeys, isAtLeast, isModernVersion, type ProtocolVersion } from "./message.ts";
import type { ContentAnnotations } from "./resource-types.ts";
import type {
  CallToolResult,
  ContentBlock,
  AudioContent,
  ResourceLink,
  TextContent,
  ToolAnnotations,
  ToolListing,
} from "./tool-types.ts";

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

/** Whether the revision has resource links. */
export function hasLinks(version: ProtocolVersion): boolean {
  return isAtLeast(version, "2025-06-18");
}

/**
 * Content blocks are closed unions in each revision: an unknown one becomes text (SH1).
 * `_meta` of blocks and `lastModified` exist from 2025-06-18 on.
 */
export function shapeContent(block: ContentBlock, version: ProtocolVersion): ContentBlock {
  if (isAtLeast(version, "2025-06-18")) return block;
  switch (block.type) {
    case "resource_link":
      return linkAsText(block, shapeAnnotations(block.annotations, version));
    case "audio":
      return isAtLeast(version, "2025-03-26")
        ? withoutMeta(block, version)
        : audioAsText(block, shapeAnnotations(block.annotations, version));
    case "resource": {
      const { _meta, ...resource } = block.resource;
      return withoutMeta({ ...block, resource }, version);
    }
    case "text":
    case "image":
      return withoutMeta(block, version);
  }
}

function withoutMeta<Block extends ContentBlock>(block: Block, version: ProtocolVersion): Block {
  if (block.annotations === undefined && block._meta === undefined) return block;
  // JSON leaves undefined members out.
  const annotations = shapeAnnotations(block.annotations, version);
  return { ...block, annotations, _meta: undefined };
}

function linkAsText(link: ResourceLink, annotations: ContentAnnotations | undefined): TextContent {
  const lines = [`Resource: ${link.title ?? link.name}`, `URI: ${link.uri}`];
  if (link.description !== undefined) lines.push(link.description);
  return asText(lines.join("\n"), annotations);
}

function audioAsText(
  audio: AudioContent,
  annotations: ContentAnnotations | undefined,
): TextContent {
  const bytes = base64ByteCount(audio.data);
  return asText(
    `[Audio, ${audio.mimeType}, ${bytes} bytes: not shown, protocol revision 2024-11-05 has no audio]`,
    annotations,
  );
}

function asText(text: string, annotations: ContentAnnotations | undefined): TextContent {
  return annotations === undefined ? { type: "text", text } : { type: "text", text, annotations };
}

function base64ByteCount(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor((data.length * 3) / 4) - padding;
}

export interface ListExtras {
  readonly hints?: CacheHints | undefined;
  /** Where the next page begins. */
  readonly nextCursor?: string | undefined;
}

/** The result of `tools/list` as JSON text, with the fields that the revision knows (SH2–SH4). */
export function encodeToolsListResult(
  listings: readonly ToolListing[],
  version: ProtocolVersion,
  { hints = toolsListCacheHints, nextCursor }: ListExtras = {},
): string {
  const tools = listings.map((listing) => shapeListing(listing, version));
  return encodeComplete({ tools, nextCursor }, version, { hints });
}

function shapeListing(listing: ToolListing, version: ProtocolVersion): Params {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = listing;
  if (!isAtLeast(version, "2025-03-26")) return { name, description, inputSchema };
  if (!isAtLeast(version, "2025-06-18")) {
    return { name, description, inputSchema, annotations: withTitle(annotations, title) };
  }
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema: shownOutputSchema(outputSchema, version),
    annotations,
    icons: shapeIcons(listing.icons, version),
    _meta,
  };
}

/** Legacy revisions know objects only, so any other schema would promise data that is not sent. */
function shownOutputSchema(
  outputSchema: Params | undefined,
  version: ProtocolVersion,
): Params | undefined {
  return isModernVersion(version) || outputSchema?.type === "object" ? outputSchema : undefined;
}

/** 2025-03-26 has no `title` beside the annotations, so it moves into them instead of vanishing. */
function withTitle(
  annotations: ToolAnnotations | undefined,
  title: string | undefined,
): ToolAnnotations | undefined {
  const kept = annotations?.title || title;
  return kept === undefined ? annotations : { ...annotations, title: kept };
}
