import { sha256Hex } from "../../base/digests.ts";
import { formatCount } from "../../base/cut-text.ts";
import { completionValuesMax, resourceFileBytesMax } from "../../base/limits.ts";
import { resultBlocksMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { JsonText } from "../../base/weight.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { notCacheable, type CacheHints } from "../../protocol/list-parts.ts";
import { modernVersions } from "../../protocol/message.ts";
import type { PromptMessage } from "../../protocol/prompts.ts";
import type { ResourceContents } from "../../protocol/resource-types.ts";
import { encodeComplete } from "../../protocol/result-codec.ts";
import type { SkillFile } from "../../protocol/skills.ts";
import type { ContentBlock } from "../../protocol/tool-types.ts";
import type { ForeignSkill } from "../connect/foreign-skill.ts";
import { cleanBlock, cleanContents, cleanMeta, readBlock, UnusableAnswer } from "./clean-result.ts";
import { boundText, type ResultParts } from "./shape-call-result.ts";

/**
 * Turns a server's answer to `resources/read` into the client's result. Long texts are cut like results, except pages
 * of apps, which would break; bytes are sent completely or not at all (RP5).
 * @throws UnusableAnswer `malformed`, or `too_large` with the path of the saved file
 */
export async function shapeContents(answer: unknown, parts: ResultParts): Promise<JsonText> {
  const contents = isObject(answer) ? answer.contents : undefined;
  if (!isObject(answer) || !Array.isArray(contents) || contents.length > resultBlocksMax) {
    throw malformed("resources/read", parts, "has no array of contents");
  }
  const shaped: ResourceContents[] = [];
  for (const [index, value] of contents.entries()) {
    if (!isContents(value))
      throw malformed(
        "resources/read",
        parts,
        `has a contents[${index}] without uri and text or blob`,
      );
    shaped.push(await bounded(cleanContents(value, parts), parts));
  }
  const hints = hintsOf(answer);
  const meta = isObject(answer._meta) ? { meta: cleanMeta(answer._meta, parts) } : {};
  return new JsonText(encodeComplete({ contents: shaped }, modernVersions[0], { hints, ...meta }));
}

function isContents(value: unknown): value is ResourceContents {
  if (!isObject(value) || typeof value.uri !== "string") return false;
  return typeof value.text === "string" || typeof value.blob === "string";
}

async function bounded(contents: ResourceContents, parts: ResultParts): Promise<ResourceContents> {
  if ("blob" in contents && typeof contents.blob === "string") {
    if (contents.blob.length * 0.75 <= resourceFileBytesMax) return contents;
    throw await tooLarge(contents.uri, Buffer.from(contents.blob, "base64"), parts);
  }
  const text = "text" in contents && typeof contents.text === "string" ? contents.text : "";
  if (!isPage(contents)) return { ...contents, text: (await boundText(text, parts)).text };
  if (Buffer.byteLength(text) <= resourceFileBytesMax) return contents;
  throw await tooLarge(contents.uri, text, parts);
}

/** A page for a frame of the client, which no model reads. */
function isPage({ uri, mimeType }: ResourceContents): boolean {
  return uri.startsWith("ui://") || mimeType?.startsWith("text/html") === true;
}

async function tooLarge(
  uri: string,
  content: string | Uint8Array,
  { server, results }: ResultParts,
): Promise<UnusableAnswer> {
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  const saved = await results().save(content);
  const place = saved === undefined ? "It could not be saved either." : `It is in ${saved.path}.`;
  return new UnusableAnswer(
    "too_large",
    `${uri} of the server ${server} has ${formatCount(bytes)} bytes; a message takes ${formatCount(resourceFileBytesMax)}. ${place}`,
  );
}

/** A modern server's hints on how long its answer may be cached. */
function hintsOf({ ttlMs, cacheScope }: Params): CacheHints {
  const isTime = typeof ttlMs === "number" && ttlMs >= 0;
  return {
    ttlMs: isTime ? ttlMs : notCacheable.ttlMs,
    cacheScope: cacheScope === "public" ? cacheScope : "private",
  };
}

/**
 * Turns a server's answer to `prompts/get` into the client's result: each text within the client's limit.
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
      throw malformed("prompts/get", parts, `has an invalid messages[${index}]`);
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
    return { ...block, text: (await boundText(block.text, parts)).text };
  }
  if (block.type !== "resource" || block.resource.text === undefined) return block;
  const { text } = await boundText(block.resource.text, parts);
  return { ...block, resource: { ...block.resource, text } };
}

/**
 * Turns a server's answer to `completion/complete` into the client's result: at most a hundred values, the protocol's
 * limit.
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
    `The server ${server} answered ${method} with an invalid result: it ${reason}.`,
  );
}

/** The skills that a server has listed. */
export interface SkillsOfServer {
  readonly approved: readonly ForeignSkill[];
  /** New or changed ones, which are not approved. */
  readonly others: readonly ForeignSkill[];
}

/**
 * Checks a file of a skill against the approved listing of that skill. @throws UnusableAnswer when its size or digest
 * differs, and for a file of skills that are not approved
 */
export function verifySkillFile(
  answer: unknown,
  uri: string,
  { approved, others }: SkillsOfServer,
): void {
  const listed = filesOf(approved, uri);
  if (listed.length === 0 && filesOf(others, uri).length === 0) return;
  if (listed.length === 0) {
    throw new UnusableAnswer(
      "malformed",
      `The file ${uri} belongs to a skill that is not approved: see it with mcp diff, approve it with mcp approve.`,
    );
  }
  const contents: unknown = isObject(answer) ? answer.contents : undefined;
  const [first, ...more] = Array.isArray(contents) ? (contents as readonly unknown[]) : [];
  const bytes = more.length === 0 ? bytesOf(first) : undefined;
  const digest = bytes && `sha256:${sha256Hex(bytes)}`;
  if (listed.every((file) => file.size === bytes?.length && file.digest === digest)) return;
  throw new UnusableAnswer(
    "malformed",
    `The file ${uri} is not the one that its skill lists (size or digest), and was not used.`,
  );
}

function filesOf(skills: readonly ForeignSkill[], uri: string): readonly SkillFile[] {
  return skills
    .flatMap(({ resources }) => (resources === "dynamic" ? [] : resources))
    .filter((file) => file.uri === uri);
}

function bytesOf(contents: unknown): Buffer | undefined {
  if (!isObject(contents)) return undefined;
  const { text, blob } = contents;
  if (typeof text === "string") return Buffer.from(text);
  return typeof blob === "string" ? Buffer.from(blob, "base64") : undefined;
}
