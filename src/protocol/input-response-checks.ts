import { isObject } from "../base/values.ts";
import { askedContent, filledContent, problemOfContent } from "./elicitation-checks.ts";
import type { FormElicitation, InputRequest, UrlElicitation } from "./input-request.ts";
import type { Params } from "./json-rpc.ts";
import type { ContentBlock } from "./tool-types.ts";

/** An answer of the client, checked; or why it is not accepted. */
export type InputReading =
  | { readonly kind: "answer"; readonly answer: Params }
  | { readonly kind: "problem"; readonly problem: string };

/**
 * Reads the client's answer to a request. A wrong type is never accepted; members that are not part of
 * the result, and fields that the form did not ask for, are left out (docs/spec/modern.md#questions).
 */
export function readInputResponse(request: InputRequest, response: unknown): InputReading {
  if (!isObject(response)) return problem("the answer must be an object");
  switch (request.method) {
    case "elicitation/create":
      return readElicitation(request, response);
    case "sampling/createMessage":
      return readMessage(request.params, response);
    case "roots/list":
      return readRoots(response);
  }
}

function readElicitation(
  { params }: FormElicitation | UrlElicitation,
  { action, content }: Params,
): InputReading {
  if (action === "decline" || action === "cancel") return answer({ action });
  if (action !== "accept") return problem("`action` must be accept, decline or cancel");
  if (params.mode === "url") return answer({ action });
  // Some clients send an unfilled form without content.
  const filled = filledContent(params.requestedSchema, content ?? {});
  if (!isObject(filled)) return problem("`content` must be an object");
  const wrong = problemOfContent(params.requestedSchema, filled);
  if (wrong !== undefined) return problem(wrong);
  return answer({ action, content: askedContent(params.requestedSchema, filled) });
}

function readMessage(params: Params, result: Params): InputReading {
  const wrong = problemOfMessage(params, result);
  if (wrong !== undefined) return problem(wrong);
  const { role, content, model, stopReason } = result;
  return answer({ role, content, model, ...(stopReason === undefined ? {} : { stopReason }) });
}

/** Roots are `file:` URIs; one of another kind makes the list unusable as a whole. */
function readRoots({ roots }: Params): InputReading {
  if (!Array.isArray(roots)) return problem("`roots` must be an array");
  if (!roots.every(isRoot)) return problem("`roots` must hold objects with a `file:` URI");
  const named = roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }));
  return answer({ roots: named });
}

function isRoot(root: unknown): root is { readonly uri: string; readonly name?: string } {
  if (!isObject(root) || typeof root.uri !== "string") return false;
  if (root.name !== undefined && typeof root.name !== "string") return false;
  return root.uri.startsWith("file://") && URL.canParse(root.uri);
}

function answer(value: Params): InputReading {
  return { kind: "answer", answer: value };
}

function problem(text: string): InputReading {
  return { kind: "problem", problem: text };
}

/** The fault in a `CreateMessageResult` for this request; undefined when it is valid. */
function problemOfMessage(params: Params, result: Params): string | undefined {
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

export function isContentBlock(block: unknown): block is ContentBlock {
  return isBlock(block, contentMembers);
}

function isBlock(block: unknown, known: Readonly<Record<string, MemberChecks>>): boolean {
  if (!isObject(block) || typeof block.type !== "string") return false;
  if (!Object.hasOwn(known, block.type)) return false;
  return Object.entries(known[block.type] ?? {}).every(([name, check]) => check(block[name]));
}
