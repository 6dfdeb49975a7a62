import { cutEnd } from "../../base/cut-text.ts";
import {
  upstreamQuestionCharsMax,
  upstreamQuestionsPerCallMax,
  upstreamMessageDepthMax,
  upstreamRawCharsShown,
  upstreamSaidCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { FormSchema, InputRequest, InputRequests } from "../../protocol/input-request.ts";
import type { Params, ProtocolFault } from "../../protocol/json-rpc.ts";
import { ConnectionError, type ConnectionReply, type Era } from "./connection.ts";

export type PeerReply =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/** Undefined unless it is either a result or an error (CA16). */
export function readAnswer(message: Params): PeerReply | undefined {
  const { result, error } = message;
  const hasResult = Object.hasOwn(message, "result");
  if (hasResult === Object.hasOwn(message, "error")) return undefined;
  if (isNestedDeeper(message, upstreamMessageDepthMax)) return undefined;
  if (hasResult) return { kind: "result", result };
  if (!isObject(error) || typeof error.code !== "number") return undefined;
  const { code, data } = error;
  const text = typeof error.message === "string" ? error.message : "";
  const fault = { code, message: cutEnd(text, upstreamSaidCharsMax) };
  const hasData = data !== undefined && JSON.stringify(data).length <= upstreamQuestionCharsMax;
  return { kind: "fault", fault: hasData ? { ...fault, data } : fault };
}

export function malformed(message: Params): ConnectionError {
  const text = isNestedDeeper(message, upstreamMessageDepthMax)
    ? `The answer of the server nests deeper than ${upstreamMessageDepthMax} levels.`
    : `The answer of the server is neither a result nor an error: ${shown(message)}`;
  return new ConnectionError("protocol", text);
}

export function shown(message: unknown): string {
  const json = isNestedDeeper(message, upstreamMessageDepthMax) ? "…" : JSON.stringify(message);
  return (json ?? "undefined").slice(0, upstreamRawCharsShown);
}

/**
 * The answer of a server to a call: its whole result, or the questions that it needs answered first.
 * @throws ConnectionError for an answer that is neither
 */
export function readReply(reply: PeerReply, era: Era): ConnectionReply {
  if (reply.kind === "fault" || era === "legacy" || !isObject(reply.result)) return reply;
  const { resultType, ...result } = reply.result;
  if (resultType === undefined || resultType === "complete") return { kind: "result", result };
  if (resultType === "input_required") return readInputRequired(result);
  const type = JSON.stringify(resultType).slice(0, 100);
  throw new ConnectionError(
    "protocol",
    `The server answered with a result of the unknown type ${type}.`,
  );
}

function readInputRequired({ inputRequests, requestState }: Params): ConnectionReply {
  if (requestState !== undefined && typeof requestState !== "string") {
    throw new ConnectionError("protocol", "The server gave a `requestState` that is not a string.");
  }
  const state = requestState === undefined ? {} : { requestState };
  // It may ask for nothing but a repetition of the call, which needs no question to anybody.
  const isWait = inputRequests === undefined || (isObject(inputRequests) && isEmpty(inputRequests));
  if (isWait && requestState !== undefined)
    return { kind: "input-required", requests: {}, ...state };
  const requests = readInputRequests(inputRequests);
  if (requests === undefined) {
    throw new ConnectionError("protocol", "The server asks a question that clients cannot answer.");
  }
  if (Object.keys(requests).length > upstreamQuestionsPerCallMax) {
    const text = `The server asks more than ${upstreamQuestionsPerCallMax} questions at once.`;
    throw new ConnectionError("protocol", text);
  }
  return { kind: "input-required", requests, ...state };
}

function isEmpty(object: Params): boolean {
  return Object.keys(object).length === 0;
}

/** A server's question, if it is one of the three known kinds and not too long; its members are kept as they came. */
export function readInputRequest(value: unknown): InputRequest | undefined {
  if (!isObject(value) || JSON.stringify(value).length > upstreamQuestionCharsMax) return undefined;
  const { method } = value;
  const params = isObject(value.params) ? value.params : {};
  if (method === "roots/list") return { method };
  if (method === "sampling/createMessage") {
    return Array.isArray(params.messages) ? { method, params } : undefined;
  }
  return method === "elicitation/create" ? readElicitation(params) : undefined;
}

/** The questions under their keys; undefined when one of them is invalid, or there is none. */
export function readInputRequests(value: unknown): InputRequests | undefined {
  if (!isObject(value)) return undefined;
  const requests: [string, InputRequest][] = [];
  for (const [key, each] of Object.entries(value)) {
    const request = readInputRequest(each);
    if (request === undefined) return undefined;
    requests.push([key, request]);
  }
  return requests.length === 0 ? undefined : Object.fromEntries(requests);
}

function readElicitation(params: Params): InputRequest | undefined {
  const { mode, message, url, elicitationId, requestedSchema } = params;
  const method = "elicitation/create";
  if (typeof message !== "string") return undefined;
  if (mode === "url") {
    if (typeof url !== "string") return undefined;
    // The modern revisions have no id; scorpiox-code needs one to tell two questions apart.
    const id = typeof elicitationId === "string" ? elicitationId : crypto.randomUUID();
    return { method, params: { ...params, mode, message, url, elicitationId: id } };
  }
  if (mode !== undefined && mode !== "form") return undefined;
  if (!isFormSchema(requestedSchema)) return undefined;
  return { method, params: { ...params, mode: "form", message, requestedSchema } };
}

function isFormSchema(schema: unknown): schema is FormSchema {
  if (!isObject(schema) || !isObject(schema.properties)) return false;
  if (schema.type !== undefined && schema.type !== "object") return false;
  return Object.values(schema.properties).every(
    (field) => isObject(field) && typeof field.type === "string",
  );
}

/**
 * Whether arrays and objects in `value` nest deeper than so many levels. Without recursion, so that any value is safe.
 */
export function isNestedDeeper(value: unknown, levelsMax: number): boolean {
  let level: readonly Parent[] = isParent(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levelsMax) return true;
    const below: Parent[] = [];
    for (const each of level) addChildren(each, below);
    level = below;
  }
  return false;
}

/** In place: every answer is checked, and a list of each object's values would be most of the cost. */
function addChildren(parent: Parent, below: Parent[]): void {
  if (Array.isArray(parent)) {
    for (const child of parent as readonly unknown[]) if (isParent(child)) below.push(child);
    return;
  }
  for (const name in parent) {
    const child = parent[name];
    if (isParent(child)) below.push(child);
  }
}

/** An object or an array: both have members by name. */
type Parent = Readonly<Record<string, unknown>>;

function isParent(value: unknown): value is Parent {
  return typeof value === "object" && value !== null;
}
