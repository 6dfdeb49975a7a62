import type { Icon } from "./icon.ts";
import type { Params } from "./json-rpc.ts";

/** Hints for clients that show content (docs/spec/legacy.md#revisions: `lastModified` from 2025-06-18 on). */
export interface ContentAnnotations {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** One entry of `resources/list`, with all that the newest revision knows. */
export interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Params;
}

/** One entry of `resources/templates/list`. */
export interface ResourceTemplateListing {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Params;
}

/** The content of a resource: text, or bytes in base64. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly _meta?: Params;
} & ({ readonly text: string } | { readonly blob: string });
