import type { AudioContent, ContentBlock, ResourceLink, TextContent } from "./tool-types.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

/** Content blocks are closed unions in each revision: an unknown one becomes text (legacy.md section 5, rule 1). */
export function shapeContent(block: ContentBlock, version: ProtocolVersion): ContentBlock {
  if (block.type === "resource_link" && !isAtLeast(version, "2025-06-18")) return linkAsText(block);
  if (block.type === "audio" && !isAtLeast(version, "2025-03-26")) return audioAsText(block);
  return block;
}

function linkAsText(link: ResourceLink): TextContent {
  const lines = [`Resource: ${link.title ?? link.name}`, `URI: ${link.uri}`];
  if (link.description !== undefined) lines.push(link.description);
  return { type: "text", text: lines.join("\n") };
}

function audioAsText(audio: AudioContent): TextContent {
  const bytes = base64ByteCount(audio.data);
  const text = `[Audio, ${audio.mimeType}, ${bytes} bytes: not shown, protocol revision 2024-11-05 has no audio]`;
  return { type: "text", text };
}

function base64ByteCount(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor((data.length * 3) / 4) - padding;
}
