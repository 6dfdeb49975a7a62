import { shapeContent } from "./content-codec.ts";
import { isObject, type Params } from "./json-rpc.ts";
import type { ContentBlock } from "./tool-types.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

/**
 * The parameters of `sampling/createMessage` as a revision has them (docs/spec/legacy.md#revisions). One message holds
 * one block before 2025-11-25; from then on `includeContext` needs a declaration of its own and is left out,
 * which means `none`. `task` belongs to a feature that is offered to nobody (docs/spec/legacy.md#tasks).
 */
export function shapeSampling(params: Params, version: ProtocolVersion): Params {
  const { task: _, includeContext, messages, ...rest } = params;
  const isRecent = isAtLeast(version, "2025-11-25");
  const context = isRecent || includeContext === undefined ? {} : { includeContext };
  if (isRecent || !Array.isArray(messages)) return { ...rest, ...context, messages };
  const shaped = messages.flatMap((message: unknown) => shapeMessage(message, version));
  return { ...rest, ...context, messages: shaped };
}

function shapeMessage(message: unknown, version: ProtocolVersion): readonly unknown[] {
  if (!isObject(message)) return [message];
  const { role, content } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) => ({ role, content: shapeBlock(block, version) }));
}

function shapeBlock(block: unknown, version: ProtocolVersion): unknown {
  return isContentBlock(block) ? shapeContent(block, version) : block;
}

/** The fault in a `CreateMessageResult` for this request; undefined when it is valid. */
export function problemOfMessage(params: Params, result: Params): string | undefined {
  const { role, model, content, stopReason } = result;
  if (role !== "assistant" && role !== "user") return "`role` must be assistant or user";
  if (typeof model !== "string") return "`model` must be a string";
  if (stopReason !== undefined && typeof stopReason !== "string") {
    return "`stopReason` must be a string";
  }
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const known = params.tools === undefined ? contentMembers : { ...contentMembers, ...toolMembers };
  return blocks.every((block) => isBlock(block, known)) ? undefined : "`content` is malformed";
}

type MemberChecks = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === "string";

const contentMembers: Readonly<Record<string, MemberChecks>> = {
  text: { text: isText },
  image: { data: isText, mimeType: isText },
  audio: { data: isText, mimeType: isText },
};

/** Only where tools were offered: nobody expects them otherwise. */
const toolMembers: Readonly<Record<string, MemberChecks>> = {
  tool_use: { id: isText, name: isText, input: isObject },
  tool_result: { toolUseId: isText, content: Array.isArray },
};

function isContentBlock(block: unknown): block is ContentBlock {
  return isBlock(block, contentMembers);
}

function isBlock(block: unknown, known: Readonly<Record<string, MemberChecks>>): boolean {
  if (!isObject(block) || typeof block.type !== "string") return false;
  if (!Object.hasOwn(known, block.type)) return false;
  return Object.entries(known[block.type] ?? {}).every(([name, check]) => check(block[name]));
}
