import type { Params } from "./json-rpc.ts";
import type { ContentAnnotations, Icon } from "./resource-types.ts";

/** The neutral forms of a tool and its results: the newest revision's, before a codec shapes them. */

/** Hints about a tool; hints of upstream servers are not to be trusted. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A JSON Schema whose root is a plain object, as every revision demands of tool inputs. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** One entry of `tools/list` with all that the newest revision knows. */
export interface ToolListing {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Any schema; older revisions are shown those with an object at their root only. */
  readonly outputSchema?: Params;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Params;
}

/** The members that every content block may have. */
interface BlockExtras {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: Params;
}

export interface TextContent extends BlockExtras {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent extends BlockExtras {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface AudioContent extends BlockExtras {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

export interface ResourceLink extends BlockExtras {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

interface EmbeddedResource extends BlockExtras {
  readonly type: "resource";
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly _meta?: Params;
  };
}

export type ContentBlock =
  TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** A tool's answer, its own failure (`isError`) included. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  /** Any JSON value; an object where the revision demands one (SH2). */
  readonly structuredContent?: unknown;
  readonly _meta?: Params;
  readonly isError: boolean;
}
