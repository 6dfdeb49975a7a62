import type { Icon } from "./icon.ts";
import type { Params } from "./json-rpc.ts";
import type { ContentBlock } from "./tool-types.ts";

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** One entry of `prompts/list`, with all that the newest revision knows. */
export interface PromptListing {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Params;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** The answer to `prompts/get`. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}
