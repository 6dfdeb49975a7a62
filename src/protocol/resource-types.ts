import { uriCharsMax } from "../base/limits.ts";
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

/** A picture for a list. Only `https:` and `data:` sources (docs/spec/modern.md#tools). */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** Sizes, such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** Schemes whose form the URL parser knows; for others it allows anything. */
const specialScheme = /^(?:https?|wss?|ftp|file):/i;
const anyScheme = /^[A-Za-z][A-Za-z0-9+.-]*:./;
/** `..` as a part of its own, also when dots or slashes are percent-encoded, once or more often. */
const traversal =
  /(?:^|[:/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){2}(?=$|[/\\?#]|%(?:25)*(?:2f|5c))/i;

/**
 * The fault in `value` as the URI of a resource, in words that follow "uri"; undefined when it is valid. Whether the
 * resource exists is for its provider to say (docs/spec/modern.md#resources-and-prompts).
 */
export function uriProblem(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return "must be a URI";
  if (value.length > uriCharsMax) return `must have at most ${uriCharsMax} characters`;
  if (hasControlCharacter(value) || !value.isWellFormed()) {
    return "must not have control characters: percent-encode them";
  }
  if (!anyScheme.test(value)) return "must begin with a scheme, as in file:///a";
  if (specialScheme.test(value) && !URL.canParse(value)) return "must be a valid URL";
  if (traversal.test(value)) return 'must not have ".." as a part of its path';
  return undefined;
}

/** NUL and the others, plain or percent-encoded NUL: file systems end names there. */
function hasControlCharacter(value: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001F\u007F]|%(?:25)*00/i.test(value);
}
