import { bodyCharsMax, cutLine, cutText } from "../../base/cut-text.ts";
import { resultBytesPerChar } from "../../base/limits.ts";
import { resultMetaCharsMax } from "../../base/upstream-limits.ts";
import { saysStructure } from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock, ResourceLink } from "../../protocol/tool-types.ts";
import { blockText, textOf } from "../adapters/text-of.ts";
import type { ResultStore, SavedResult } from "./saved-results.ts";

/**
 * Bounds a result to the client's limit: text is cut to its two ends and saved as a whole in a file, images stay
 * complete (CA13, CA14). Structured content is never cut: where it or the text is too long, the whole result becomes
 * text. @param charsMax characters of all texts together @param hasLinks the client's revision has resource links, by
 * which it can read the full text
 */
export async function boundResult(
  result: CallToolResult,
  charsMax: number,
  results: ResultStore,
  hasLinks = true,
): Promise<CallToolResult> {
  const sent = withoutLongMeta(result);
  if (isWithin(sent, charsMax)) return sent;
  const plain = withoutStructure(sent);
  if (isWithin(plain, charsMax)) return plain;
  const text = textIn(plain);
  // The file also marks the place of each image.
  const whole = textOf(plain);
  const bound = await boundText(whole === "" ? text : whole, charsMax, results);
  const at = plain.content.findIndex(isWords);
  const shown: ContentBlock[] = [{ type: "text", text: bound.text }];
  if (hasLinks && bound.saved?.uri !== undefined) shown.push(linkTo(bound.saved, bound.saved.uri));
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
  charsMax: number,
  results: ResultStore,
): Promise<BoundText> {
  if (fits(text, charsMax)) return { text };
  const cut = cutToFit(text, bodyCharsMax(charsMax));
  const saved = await results.keep(text, Buffer.byteLength(cut.head));
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
