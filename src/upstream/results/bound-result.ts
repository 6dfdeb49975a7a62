import { resultMetaCharsMax } from "../../base/upstream-limits.ts";
import { withStructureAsText } from "../../protocol/call-result-codec.ts";
import type { CallToolResult, ContentBlock, ResourceLink } from "../../protocol/tool-types.ts";
import { blockText, textOf } from "../adapters/text-of.ts";
import { boundText, fits } from "./bound-text.ts";
import type { ResultStore, SavedResult } from "./saved-results.ts";

/**
 * The result within what the client takes: text is cut to its two ends and its whole is kept in a file, structured
 * content that is too long becomes text, images stay whole (CA13, CA14).
 * @param charsMax characters of all texts together
 */
export async function boundResult(
  result: CallToolResult,
  charsMax: number,
  results: ResultStore,
): Promise<CallToolResult> {
  const plain = withoutLongMeta(withoutLongStructure(result, charsMax));
  const words = plain.content.filter(isWords);
  const text = words.map((block) => blockText(block)).join("\n");
  if (fits(text, charsMax) && fitsTogether(words, charsMax)) return plain;
  // The file has the place of each image too.
  const whole = textOf(plain);
  const bound = await boundText(whole === "" ? text : whole, charsMax, results);
  const at = plain.content.findIndex(isWords);
  const shown: ContentBlock[] = [{ type: "text", text: bound.text }];
  if (bound.saved?.uri !== undefined) shown.push(linkTo(bound.saved, bound.saved.uri));
  const before = plain.content.slice(0, at).filter((block) => !isWords(block));
  const after = plain.content.slice(at).filter((block) => !isWords(block));
  return { ...plain, content: [...before, ...shown, ...after] };
}

/** The link by which a client reads what was cut. */
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

/** What a model reads, in contrast to images and bytes. */
function isWords(block: ContentBlock): boolean {
  if (block.type === "resource") return block.resource.blob === undefined;
  return block.type === "text" || block.type === "resource_link";
}

/** Members beside the texts count too: a link may have a long description. */
function fitsTogether(words: readonly ContentBlock[], charsMax: number): boolean {
  return JSON.stringify(words).length <= 2 * charsMax;
}

/** Structured content that would not fit is text like any other. */
function withoutLongStructure(result: CallToolResult, charsMax: number): CallToolResult {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined) return result;
  if (fits(JSON.stringify(structuredContent), charsMax)) return result;
  return { ...rest, content: withStructureAsText(result) };
}

function withoutLongMeta(result: CallToolResult): CallToolResult {
  const content = result.content.map((block) => (isLong(block._meta) ? withoutMeta(block) : block));
  return isLong(result._meta) ? { ...withoutMeta(result), content } : { ...result, content };
}

function withoutMeta<Part extends { readonly _meta?: unknown }>(part: Part): Part {
  const { _meta: _dropped, ...rest } = part;
  return rest as Part;
}

function isLong(meta: unknown): boolean {
  return meta !== undefined && JSON.stringify(meta).length > resultMetaCharsMax;
}
