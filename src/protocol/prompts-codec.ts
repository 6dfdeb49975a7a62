import type { CacheHints } from "./cache-hints.ts";
import { encodeComplete } from "./complete-result.ts";
import { shapeContent } from "./content-codec.ts";
import { shapeIcons } from "./icons-codec.ts";
import type { Params } from "./json-rpc.ts";
import type { Page } from "./pagination.ts";
import type { PromptArgument, PromptListing, PromptResult } from "./prompt-types.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

export function encodePromptsList(
  { items, nextCursor }: Page<PromptListing>,
  version: ProtocolVersion,
  hints: CacheHints,
): string {
  const prompts = items.map((listing) => shapePrompt(listing, version));
  return encodeComplete({ prompts, nextCursor }, version, { hints });
}

/** The result of `prompts/get`; not cacheable (docs/spec/modern.md#caching). */
export function encodePromptResult(
  { description, messages }: PromptResult,
  version: ProtocolVersion,
): string {
  const shaped = messages.map(({ role, content }) => ({
    role,
    content: shapeContent(content, version),
  }));
  return encodeComplete({ description, messages: shaped }, version);
}

function shapePrompt(listing: PromptListing, version: ProtocolVersion): Params {
  const { name, title, description, icons, _meta } = listing;
  const shaped = listing.arguments?.map((argument) => shapeArgument(argument, version));
  if (!isAtLeast(version, "2025-06-18")) return { name, description, arguments: shaped };
  return {
    name,
    title,
    description,
    arguments: shaped,
    icons: shapeIcons(icons, version),
    _meta,
  };
}

function shapeArgument(argument: PromptArgument, version: ProtocolVersion): Params {
  const { name, title, description, required } = argument;
  if (!isAtLeast(version, "2025-06-18")) return { name, description, required };
  return { name, title, description, required };
}
