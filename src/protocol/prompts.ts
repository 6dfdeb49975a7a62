import { completionValuesMax } from "../base/limits.ts";
import type { Params } from "./json-rpc.ts";
import { type CacheHints, type ListPage, shapeIcons } from "./list-parts.ts";
import { isAtLeast, type ProtocolVersion } from "./message.ts";
import type { Icon } from "./resource-types.ts";
import { shapeContent, encodeComplete } from "./result-codec.ts";
import type { ContentBlock } from "./tool-types.ts";

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** One entry of `prompts/list`, with all that the newest revision knows. */
export interface PromptListing {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Params;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** The answer to `prompts/get`. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

export function encodePromptsList(
  { items, nextCursor }: ListPage<PromptListing>,
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

/** The result of `completion/complete`: the first 100 of all that fits (docs/spec/modern.md#resources-and-prompts). */
export function encodeCompletion(all: readonly string[], version: ProtocolVersion): string {
  const completion = {
    values: all.slice(0, completionValuesMax),
    total: all.length,
    hasMore: all.length > completionValuesMax,
  };
  return encodeComplete({ completion }, version);
}
