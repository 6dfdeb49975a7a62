import type { ClientCapabilities } from "./client-capabilities.ts";
import type { Params } from "./json-rpc.ts";

/** One field of a form: a flat primitive, or an enum (modern.md section 6). */
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

/** Asks the person to visit a page; what happens there does not pass through the client. */
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

/** The only three things that a client can be asked for, in both eras. */
export type InputRequest = FormElicitation | UrlElicitation | SamplingRequest | RootsRequest;

/** Several at once, by a key that the asker chooses; answers come back under the same keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** Checked results: `ElicitResult`, `CreateMessageResult`, `ListRootsResult`. */
export type InputResponses = Readonly<Record<string, Params>>;

export type InputKind = "form" | "url" | "sampling" | "roots";

export function inputKindOf(request: InputRequest): InputKind {
  switch (request.method) {
    case "sampling/createMessage":
      return "sampling";
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
    case "roots":
      return capabilities.roots;
  }
}

/** The `ClientCapabilities` object that -32021 names for what the client lacks (modern.md section 1, Errors). */
export function requiredCapabilities(kinds: readonly InputKind[]): Params {
  const modes = {
    ...(kinds.includes("form") ? { form: {} } : {}),
    ...(kinds.includes("url") ? { url: {} } : {}),
  };
  return {
    ...(kinds.includes("form") || kinds.includes("url") ? { elicitation: modes } : {}),
    ...(kinds.includes("sampling") ? { sampling: {} } : {}),
    ...(kinds.includes("roots") ? { roots: {} } : {}),
  };
}
