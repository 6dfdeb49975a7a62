import { resultBlocksMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { JsonText } from "../../base/weight.ts";
import { modernVersions, type ProtocolVersion } from "../../protocol/message.ts";
import {
  hasLinks,
  encodeCallToolResult,
  tooLongForData,
  withStructureAsText,
} from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import { textOf } from "../adapters/text-of.ts";
import { boundResult, boundText } from "./bound-result.ts";
import { cleanCallResult, type Cleaning } from "./clean-result.ts";
import { readBlock } from "./read-content.ts";
import type { ResultStore } from "./saved-results.ts";

export interface ResultParts extends Cleaning {
  /** The client's limit of characters. */
  readonly charsMax: number;
  readonly results: ResultStore;
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
  const bound = await boundResult(result, parts.charsMax, parts.results, hasLinks(version));
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
  { server, tool, clean, charsMax, results, onProblem }: CallResultParts,
): Promise<CallToolResult> {
  onProblem(`The answer to ${tool} ${reason}.`);
  const text = `The server ${server} answered the call of ${tool} with an invalid result: it ${reason}. The tool may have run. Tell the maker of the server, or update it.`;
  const rest = clean(textOf(answer));
  const shown =
    rest === "" ? "" : `\nThe readable part:\n${(await boundText(rest, charsMax, results)).text}`;
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
