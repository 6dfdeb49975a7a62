import { JsonText } from "../../base/json-text.ts";
import { completionValuesMax } from "../../base/limits.ts";
import { resultBlocksMax } from "../../base/upstream-limits.ts";
import { encodeComplete } from "../../protocol/complete-result.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { PromptMessage } from "../../protocol/prompt-types.ts";
import type { ContentBlock } from "../../protocol/tool-types.ts";
import { modernVersions } from "../../protocol/versions.ts";
import { boundText } from "./bound-text.ts";
import { cleanBlock, cleanMeta } from "./clean-result.ts";
import { readBlock } from "./read-content.ts";
import type { ResultParts } from "./shape-call-result.ts";
import { UnusableAnswer } from "./unusable-answer.ts";

/**
 * A server's answer to `prompts/get` as a client may get it: each text within what the client takes.
 * @throws UnusableAnswer
 */
export async function shapePrompt(answer: unknown, parts: ResultParts): Promise<JsonText> {
  const messages = isObject(answer) ? answer.messages : undefined;
  if (!isObject(answer) || !Array.isArray(messages) || messages.length > resultBlocksMax) {
    throw malformed("prompts/get", parts, "has no array of messages");
  }
  const shaped: PromptMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const content = await readMessage(message, parts);
    if (content === undefined)
      throw malformed("prompts/get", parts, `has a messages[${index}] that is none`);
    shaped.push(content);
  }
  const description =
    typeof answer.description === "string" ? { description: parts.clean(answer.description) } : {};
  const meta = isObject(answer._meta) ? { meta: cleanMeta(answer._meta, parts) } : {};
  return new JsonText(
    encodeComplete({ ...description, messages: shaped }, modernVersions[0], meta),
  );
}

async function readMessage(
  message: unknown,
  parts: ResultParts,
): Promise<PromptMessage | undefined> {
  if (!isObject(message)) return undefined;
  const { role } = message;
  const read = readBlock(message.content);
  if ((role !== "user" && role !== "assistant") || read.kind === "bad") return undefined;
  const content = cleanBlock(read.block, parts);
  return { role, content: await boundedBlock(content, parts) };
}

async function boundedBlock(block: ContentBlock, parts: ResultParts): Promise<ContentBlock> {
  if (block.type === "text") {
    return { ...block, text: (await boundText(block.text, parts.charsMax, parts.results)).text };
  }
  if (block.type !== "resource" || block.resource.text === undefined) return block;
  const { text } = await boundText(block.resource.text, parts.charsMax, parts.results);
  return { ...block, resource: { ...block.resource, text } };
}

/**
 * A server's answer to `completion/complete`: at most a hundred values, as the protocol has it.
 * @throws UnusableAnswer
 */
export function shapeCompletion(answer: unknown, parts: ResultParts): JsonText {
  const completion = isObject(answer) ? answer.completion : undefined;
  if (!isObject(completion) || !Array.isArray(completion.values)) {
    throw malformed("completion/complete", parts, "has no completion with values");
  }
  const { total, hasMore } = completion;
  const texts = completion.values.filter((value: unknown) => typeof value === "string");
  const values = texts.slice(0, completionValuesMax).map((value: string) => parts.clean(value));
  const shaped = {
    values,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof hasMore === "boolean" ? { hasMore: hasMore || texts.length > values.length } : {}),
  };
  return new JsonText(encodeComplete({ completion: shaped }, modernVersions[0]));
}

function malformed(method: string, { server }: ResultParts, reason: string): UnusableAnswer {
  return new UnusableAnswer(
    "malformed",
    `The server ${server} answered ${method} with something that is no result: it ${reason}.`,
  );
}
