import { resultBlocksMax } from "../../base/upstream-limits.ts";
import { JsonText } from "../../base/weight.ts";
import { hasLinks } from "../../protocol/content-codec.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import {
  encodeCallToolResult,
  tooLongForData,
  withStructureAsText,
} from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import { modernVersions, type ProtocolVersion } from "../../protocol/versions.ts";
import { textOf } from "../adapters/text-of.ts";
import { boundResult, boundText } from "./bound-result.ts";
import { cleanCallResult, type Cleaning } from "./clean-result.ts";
import { readBlock } from "./read-content.ts";
import type { ResultStore } from "./saved-results.ts";

export interface ResultParts extends Cleaning {
  /** Characters of text that the client takes. */
  readonly charsMax: number;
  readonly results: ResultStore;
}

export interface CallResultParts extends ResultParts {
  readonly tool: string;
  /** What is wrong with structured content by the tool's `outputSchema`; undefined when nothing is, or there is none. */
  readonly structureFault: string | undefined;
  /** The client refuses a result that has no structured content and is no error. */
  readonly promisesStructure?: boolean;
  /** Told what was mended, one sentence each: for the server's log. */
  readonly onProblem: (problem: string) => void;
}

/**
 * A server's answer to `tools/call` as a client may get it: checked, cleaned, with addresses of ours, bounded (CA13–CA17).
 * An answer that is no result becomes a result with `isError` that says so. What it says of the server is replaced by
 * what we are (CA11).
 * @param version whose shape it gets
 */
export async function shapeCallResult(
  answer: unknown,
  parts: CallResultParts,
  version: ProtocolVersion = modernVersions[0],
): Promise<JsonText> {
  const read = readCallResult(answer);
  const result =
    read.kind === "malformed"
      ? await malformedResult(answer, read.reason, parts)
      : withTextAtLeast(cleanCallResult(withRightStructure(read.result, parts), parts));
  const bound = await boundResult(result, parts.charsMax, parts.results, hasLinks(version));
  const isTextInstead = result.structuredContent !== undefined && !("structuredContent" in bound);
  const shown = isTextInstead ? asOurs(bound, parts) : bound;
  return new JsonText(encodeCallToolResult(shown, version));
}

/** Some clients show their model the content alone. */
function withTextAtLeast(result: CallToolResult): CallToolResult {
  if (result.structuredContent === undefined) return result;
  return { ...result, content: withStructureAsText(result) };
}

/** A text of ours in the place of what the tool has promised: an error only in its form, which is said. */
function asOurs(bound: CallToolResult, { promisesStructure }: CallResultParts): CallToolResult {
  if (bound.isError || promisesStructure !== true) return bound;
  const said = { type: "text" as const, text: `${tooLongForData}\n` };
  return { ...bound, content: [said, ...bound.content], isError: true };
}

/** What can be read of it is shown all the same: it may be what the model needs. */
async function malformedResult(
  answer: unknown,
  reason: string,
  { server, tool, clean, charsMax, results, onProblem }: CallResultParts,
): Promise<CallToolResult> {
  onProblem(`The answer to ${tool} ${reason}.`);
  const text = `The server ${server} answered the call of ${tool} with something that is no result: it ${reason}. The tool may have run. Tell the maker of the server, or update it.`;
  const rest = clean(textOf(answer));
  const shown =
    rest === ""
      ? ""
      : `\nWhat can be read of it:\n${(await boundText(rest, charsMax, results)).text}`;
  return { content: [{ type: "text", text: text + shown }], isError: true };
}

function withRightStructure(result: CallToolResult, parts: CallResultParts): CallToolResult {
  const { structuredContent, ...rest } = result;
  // An error need not have what a success has.
  if (result.isError) return result;
  const problem = parts.structureFault;
  if (problem === undefined) return result;
  parts.onProblem(
    `The structured content of ${parts.tool} is not what its outputSchema says: ${problem}`,
  );
  return structuredContent === undefined
    ? result
    : { ...rest, content: withStructureAsText(result) };
}

type ReadCallResult =
  | { readonly kind: "result"; readonly result: CallToolResult }
  /** `reason` says what is wrong, to stand after "the answer". */
  | { readonly kind: "malformed"; readonly reason: string };

/** What another server answered to `tools/call`, if it is what the protocol demands (CA16). */
function readCallResult(value: unknown): ReadCallResult {
  if (!isObject(value)) return malformed("is no object");
  const { isError = false, _meta: meta, structuredContent } = value;
  if (typeof isError !== "boolean")
    return malformed("has an isError that is neither true nor false");
  if (meta !== undefined && !isObject(meta)) return malformed("has a _meta that is no object");
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

/** What is wrong, as a text, when they cannot be used. */
function readBlocks(content: unknown, structured: unknown): readonly ContentBlock[] | string {
  // Servers forget it beside structured content, which says all there is to say.
  if (content === undefined && structured !== undefined) {
    return [{ type: "text", text: JSON.stringify(structured) }];
  }
  if (content === undefined) return "has no content";
  if (!Array.isArray(content)) return "has a content that is no array";
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
