import { bodyCharsMax, cutLine, cutText } from "../../base/cut-text.ts";
import { resultBytesPerChar } from "../../base/limits.ts";
import { resultBlocksMax, resultMetaCharsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { JsonText } from "../../base/weight.ts";
import { modernVersions, type ProtocolVersion } from "../../protocol/message.ts";
import {
  hasLinks,
  encodeCallToolResult,
  tooLongForData,
  withStructureAsText,
  saysStructure,
} from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock, ResourceLink } from "../../protocol/tool-types.ts";
import { textOf, blockText } from "../adapters/text-of.ts";
import { cleanCallResult, type Cleaning, readBlock } from "./clean-result.ts";
import type { ResultStore, SavedResult } from "./saved-results.ts";

export interface ResultParts extends Cleaning {
  /** The client's limit of characters, over all texts of a result. */
  readonly charsMax: number;
  /** Where this client's results are saved; made when one is too long. */
  readonly results: () => ResultStore;
}

export interface CallResultParts extends ResultParts {
  readonly tool: string;
  /** How the structured content violates the tool's `outputSchema`; undefined when it does not, or there is none. */
  readonly structureFault: string | undefined;
  /** The client refuses a successful result without structured content. */
  readonly promisesStructure?: boolean;
  /** Called with one sentence for each repaired fault, for the server's log. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Turns a server's answer to `tools/call` into the client's result: checked, cleaned, with scorpiox-code's URIs,
 * bounded (CA13–CA17). An answer that is not a result becomes a result with `isError` that says so. Facts about the
 * server itself are replaced by those of scorpiox-code (CA11). At once for a plain result, as most are.
 * @param version the revision that the client speaks
 */
export function shapeCallResult(
  answer: unknown,
  parts: CallResultParts,
  version: ProtocolVersion = modernVersions[0],
): JsonText | Promise<JsonText> {
  const read = readCallResult(answer);
  return read.kind === "result" && isPlain(read.result, parts)
    ? new JsonText(encodeCallToolResult(read.result, version))
    : shapeOther(answer, read, parts, version);
}

/**
 * Whether a result is nothing but short texts in which there is nothing to repair, clean, rewrite or cut: the other steps
 * would give the same.
 */
function isPlain(
  { content, isError, structuredContent, _meta: meta }: CallToolResult,
  { structureFault, clean, charsMax }: CallResultParts,
): boolean {
  if (structuredContent !== undefined || meta !== undefined) return false;
  if (structureFault !== undefined && !isError) return false;
  let jsonCharsMax = 0;
  for (const block of content) {
    if (block.type !== "text" || Object.keys(block).length > plainMembers) return false;
    jsonCharsMax += blockJsonChars + block.text.length * jsonCharsPerChar;
    if (jsonCharsMax > charsMax || clean(block.text) !== block.text) return false;
  }
  return true;
}

/** `type` and `text`. */
const plainMembers = 2;
/** The JSON around a text, and of a character of it: `\u001b`. */
const blockJsonChars = 32;
const jsonCharsPerChar = 6;

async function shapeOther(
  answer: unknown,
  read: ReadCallResult,
  parts: CallResultParts,
  version: ProtocolVersion,
): Promise<JsonText> {
  const result =
    read.kind === "malformed"
      ? await malformedResult(answer, read.reason, parts)
      : withTextAtLeast(cleanCallResult(withRightStructure(read.result, parts), parts));
  const bound = await boundResult(result, parts, hasLinks(version));
  const isTextInstead = result.structuredContent !== undefined && !("structuredContent" in bound);
  const shown = isTextInstead ? asOurs(bound, parts) : bound;
  return new JsonText(encodeCallToolResult(shown, version));
}

/** Adds structured content as text, since some clients show their model the content alone. */
function withTextAtLeast(result: CallToolResult): CallToolResult {
  if (result.structuredContent === undefined) return result;
  return { ...result, content: withStructureAsText(result) };
}

/**
 * A result whose structured content became text. Clients refuse a success without it, so the result is marked as an
 * error, and a first line explains that.
 */
function asOurs(bound: CallToolResult, { promisesStructure }: CallResultParts): CallToolResult {
  if (bound.isError || promisesStructure !== true) return bound;
  const said = { type: "text" as const, text: `${tooLongForData}\n` };
  return { ...bound, content: [said, ...bound.content], isError: true };
}

/** An error result that shows the readable parts of a malformed answer, since the model may need them. */
async function malformedResult(
  answer: unknown,
  reason: string,
  parts: CallResultParts,
): Promise<CallToolResult> {
  const { server, tool, clean, onProblem } = parts;
  onProblem(`The answer to ${tool} ${reason}.`);
  const text = `The server ${server} answered the call of ${tool} with an invalid result: it ${reason}. The tool may have run. Tell the maker of the server, or update it.`;
  const rest = clean(textOf(answer));
  const shown = rest === "" ? "" : `\nThe readable part:\n${(await boundText(rest, parts)).text}`;
  return { content: [{ type: "text", text: text + shown }], isError: true };
}

function withRightStructure(result: CallToolResult, parts: CallResultParts): CallToolResult {
  const { structuredContent, ...rest } = result;
  // `outputSchema` does not apply to errors.
  if (result.isError) return result;
  const problem = parts.structureFault;
  if (problem === undefined) return result;
  parts.onProblem(
    `The structured content of ${parts.tool} does not match its outputSchema: ${problem}`,
  );
  return structuredContent === undefined
    ? result
    : { ...rest, content: withStructureAsText(result) };
}

type ReadCallResult =
  | { readonly kind: "result"; readonly result: CallToolResult }
  /** `reason` completes "the answer ". */
  | { readonly kind: "malformed"; readonly reason: string };

/** Checks an upstream server's answer to `tools/call` against the protocol (CA16). */
function readCallResult(value: unknown): ReadCallResult {
  if (!isObject(value)) return malformed("is not an object");
  const { isError = false, _meta: meta, structuredContent } = value;
  if (typeof isError !== "boolean")
    return malformed("has an isError that is neither true nor false");
  if (meta !== undefined && !isObject(meta)) return malformed("has a _meta that is not an object");
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

/** The blocks, or the fault as a text. */
function readBlocks(content: unknown, structured: unknown): readonly ContentBlock[] | string {
  // Some servers omit `content` when they send structured content, which has all of the information.
  if (content === undefined && structured !== undefined) {
    return [{ type: "text", text: JSON.stringify(structured) }];
  }
  if (content === undefined) return "has no content";
  if (!Array.isArray(content)) return "has a content that is not an array";
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

/**
 * Bounds a result to the client's limit: text is cut to its two ends and saved as a whole in a file, images stay
 * complete (CA13, CA14). Structured content is never cut: where it or the text is too long, the whole result becomes
 * text. @param showsLinks the client's revision has resource links, by which it can read the full text
 */
async function boundResult(
  result: CallToolResult,
  parts: ResultParts,
  showsLinks: boolean,
): Promise<CallToolResult> {
  const { charsMax } = parts;
  const sent = withoutLongMeta(result);
  if (isWithin(sent, charsMax)) return sent;
  const plain = withoutStructure(sent);
  if (isWithin(plain, charsMax)) return plain;
  const text = textIn(plain);
  // The file also marks the place of each image.
  const whole = textOf(plain);
  const bound = await boundText(whole === "" ? text : whole, parts);
  const at = plain.content.findIndex(isWords);
  const shown: ContentBlock[] = [{ type: "text", text: bound.text }];
  if (showsLinks && bound.saved?.uri !== undefined)
    shown.push(linkTo(bound.saved, bound.saved.uri));
  const before = plain.content.slice(0, at).filter((block) => !isWords(block));
  const after = plain.content.slice(at).filter((block) => !isWords(block));
  return { ...plain, content: [...before, ...shown, ...after] };
}

/** The link by which a client reads the full text. */
function linkTo(saved: SavedResult, uri: string): ResourceLink {
  const { name, bytes } = saved;
  return {
    type: "resource_link",
    uri,
    name,
    title: "The whole result",
    mimeType: "text/plain",
    size: bytes,
  };
}

/** Whether a model reads the block as text, as opposed to images and bytes. */
function isWords(block: ContentBlock): boolean {
  if (block.type === "resource") return block.resource.blob === undefined;
  return block.type === "text" || block.type === "resource_link";
}

/** Bounds the other members too: a link may have a long description. */
function fitsTogether(words: readonly ContentBlock[], charsMax: number): boolean {
  return JSON.stringify(words).length <= 2 * charsMax;
}

function isWithin({ content, structuredContent }: CallToolResult, charsMax: number): boolean {
  const words = content.filter(isWords);
  if (!fits(textIn({ content }), charsMax) || !fitsTogether(words, charsMax)) return false;
  return structuredContent === undefined || fits(JSON.stringify(structuredContent), charsMax);
}

function textIn({ content }: Pick<CallToolResult, "content">): string {
  return content
    .filter(isWords)
    .map((block) => blockText(block))
    .join("\n");
}

/** The result with its structured content as text. */
function withoutStructure(result: CallToolResult): CallToolResult {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined || saysStructure(result)) return rest;
  const json = { type: "text" as const, text: JSON.stringify(structuredContent) };
  return { ...rest, content: [...result.content, json] };
}

function withoutLongMeta(result: CallToolResult): CallToolResult {
  const content = result.content.map((block) => (isLong(block._meta) ? withoutMeta(block) : block));
  return isLong(result._meta) ? { ...withoutMeta(result), content } : { ...result, content };
}

function withoutMeta<Part extends { readonly _meta?: unknown }>(part: Part): Part {
  // JSON leaves undefined members out.
  return { ...part, _meta: undefined };
}

function isLong(meta: unknown): boolean {
  return meta !== undefined && JSON.stringify(meta).length > resultMetaCharsMax;
}

/** A text that fits, and the file of the full text when it was cut. */
interface BoundText {
  readonly text: string;
  readonly saved?: SavedResult;
}

/** Whether `text` fits into a result of `charsMax` characters, also as JSON text in bytes. */
function fits(text: string, charsMax: number): boolean {
  if (text.length > charsMax) return false;
  const bytesMax = charsMax * resultBytesPerChar;
  // Most texts are so short that their bytes need not be counted.
  return text.length * jsonBytesPerCharMax + 2 <= bytesMax || jsonBytes(text) <= bytesMax;
}

/**
 * `text` unchanged when it fits, else its two ends with one line between them that gives its length, the omitted amount
 * and how to read the rest (CA14).
 */
export async function boundText(
  text: string,
  { charsMax, results }: Pick<ResultParts, "charsMax" | "results">,
): Promise<BoundText> {
  if (fits(text, charsMax)) return { text };
  const cut = cutToFit(text, bodyCharsMax(charsMax));
  const saved = await results().saveCut(text, Buffer.byteLength(cut.head));
  const left = { amount: cut.omittedChars, total: text.length, unit: "characters" } as const;
  const line = cutLine(left, saved);
  const gap = cut.head === "" || cut.head.endsWith("\n") ? "" : "\n";
  const shown = `${cut.head}${gap}${line}\n${cut.tail}`;
  return saved === undefined ? { text: shown } : { text: shown, saved };
}

/** Cuts texts that need many bytes to fewer characters. */
function cutToFit(text: string, charsMax: number): NonNullable<ReturnType<typeof cutText>> {
  for (let max = charsMax; ; max = Math.floor(max / 2)) {
    const cut = cutText(text, max) ?? { head: "", tail: text, omittedChars: 0 };
    const bytes = jsonBytes(cut.head) + jsonBytes(cut.tail);
    if (bytes <= charsMax * resultBytesPerChar || max <= 1) return cut;
  }
}

/** JSON bytes of a control character or a lone surrogate: `\u001b`. */
const jsonBytesPerCharMax = 6;

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
