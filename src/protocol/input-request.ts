import { isObject } from "../base/values.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import { createFault, errorCodes, type Params, type ProtocolFault } from "./json-rpc.ts";

/** One field of a form: a flat primitive, or an enum (docs/spec/modern.md#questions). */
export type FormField = Readonly<Record<string, unknown>> & { readonly type: string };

export interface FormSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
}

/** Asks the person in front of the client to fill in a form. Never for secrets. */
export interface FormElicitation {
  readonly method: "elicitation/create";
  readonly params: {
    readonly mode?: "form";
    readonly message: string;
    readonly requestedSchema: FormSchema;
  };
}

/** Asks the user to visit a page; the data entered there does not pass through the client. */
export interface UrlElicitation {
  readonly method: "elicitation/create";
  readonly params: {
    readonly mode: "url";
    readonly message: string;
    readonly url: string;
    readonly elicitationId: string;
  };
}

/** Asks the client's model. `params` as in the specification. */
export interface SamplingRequest {
  readonly method: "sampling/createMessage";
  readonly params: Params;
}

export interface RootsRequest {
  readonly method: "roots/list";
}

/** The only three requests to a client, in both eras. */
export type InputRequest = FormElicitation | UrlElicitation | SamplingRequest | RootsRequest;

/** Several at once, by a key that the asker chooses; answers come back under the same keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** Checked results: `ElicitResult`, `CreateMessageResult`, `ListRootsResult`. */
export type InputResponses = Readonly<Record<string, Params>>;

export const inputKinds = ["form", "url", "sampling", "samplingTools", "roots"] as const;
export type InputKind = (typeof inputKinds)[number];

export function inputKindOf(request: InputRequest): InputKind {
  switch (request.method) {
    case "sampling/createMessage":
      return usesTools(request.params) ? "samplingTools" : "sampling";
    case "roots/list":
      return "roots";
    case "elicitation/create":
      return request.params.mode === "url" ? "url" : "form";
  }
}

export function canBeAsked(capabilities: ClientCapabilities, kind: InputKind): boolean {
  switch (kind) {
    case "form":
      return capabilities.elicitationForm;
    case "url":
      return capabilities.elicitationUrl;
    case "sampling":
      return capabilities.sampling;
    case "samplingTools":
      return capabilities.samplingTools;
    case "roots":
      return capabilities.roots;
  }
}

/** The kinds that `requests` need and `can` denies, each once. */
export function kindsLacking(
  requests: InputRequests,
  can: (kind: InputKind) => boolean,
): readonly InputKind[] {
  const kinds = new Set(Object.values(requests).map(inputKindOf));
  return [...kinds].filter((kind) => !can(kind));
}

/** The `ClientCapabilities` object of -32021: the capabilities that the client lacks (docs/spec/modern.md#errors). */
export function requiredCapabilities(kinds: readonly InputKind[]): Params {
  const modes = {
    ...(kinds.includes("form") ? { form: {} } : {}),
    ...(kinds.includes("url") ? { url: {} } : {}),
  };
  const sampling = kinds.includes("samplingTools") ? { tools: {} } : {};
  const samples = kinds.includes("sampling") || kinds.includes("samplingTools");
  return {
    ...(kinds.includes("form") || kinds.includes("url") ? { elicitation: modes } : {}),
    ...(samples ? { sampling } : {}),
    ...(kinds.includes("roots") ? { roots: {} } : {}),
  };
}

/** -32021 for a modern client that did not declare a required capability. */
export function cannotBeAsked(kinds: readonly InputKind[]): ProtocolFault {
  const message = `The client did not declare that it can be asked for: ${kinds.join(", ")}`;
  const data = { requiredCapabilities: requiredCapabilities(kinds) };
  return createFault(errorCodes.missingClientCapability, message, data);
}

/** Whether the client's model would see tools: then the client must have declared `sampling.tools`. */
function usesTools({ tools, toolChoice, messages }: Params): boolean {
  if (tools !== undefined || toolChoice !== undefined) return true;
  return Array.isArray(messages) && messages.some(holdsToolBlock);
}

function holdsToolBlock(message: unknown): boolean {
  if (!isObject(message)) return false;
  const blocks: unknown = message.content;
  const list: readonly unknown[] = Array.isArray(blocks) ? blocks : [blocks];
  return list.some(
    (block) => isObject(block) && (block.type === "tool_use" || block.type === "tool_result"),
  );
}
