import { shapeAnnotations } from "./list-parts.ts";
import type { ContentAnnotations } from "./resource-types.ts";
import type { AudioContent, ContentBlock, ResourceLink, TextContent } from "./tool-types.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

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
