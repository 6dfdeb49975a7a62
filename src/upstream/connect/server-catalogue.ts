import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ObjectSchema } from "../../protocol/tool-types.ts";

/** A tool as its server describes it: all members are kept, only the two that matter are known to be right (CN6). */
export type RawTool = Params & { readonly name: string; readonly inputSchema: ObjectSchema };

export type Era = "legacy" | "modern";

/** All that a server said of itself and offers. What the disk cache keeps. */
export interface ServerCatalogue {
  readonly era: Era;
  readonly protocolVersion: string;
  /** Undefined for a modern server that does not say. */
  readonly serverInfo?: {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
  };
  readonly capabilities: Params;
  readonly instructions?: string;
  readonly tools: readonly RawTool[];
  readonly prompts: readonly (Params & { readonly name: string })[];
  readonly resources: readonly (Params & { readonly uri: string; readonly name: string })[];
  readonly templates: readonly (Params & { readonly uriTemplate: string; readonly name: string })[];
  /** How long its lists may be kept: the least of them; undefined for a legacy server. */
  readonly ttlMs?: number;
  readonly isPrivate: boolean;
  /** Whether it was told that apps are shown; absent = it was not. */
  readonly apps?: AppSupport;
  /** What was left out, one sentence each; not empty = the server is `degraded`. */
  readonly problems: readonly string[];
}
