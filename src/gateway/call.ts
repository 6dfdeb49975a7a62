import type { Cancellation } from "../base/cancellation.ts";
import type { ProtocolFault, ToolListing } from "../protocol/tool-types.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

/** How long and how much a client takes, from the client-budget table. */
export interface ClientLimits {
  /** A foreground call answers by then with what there is; 0 = never handed over. */
  readonly answerMs: number;
  /** Characters of text in one result. */
  readonly resultCharsMax: number;
}

/**
 * Whom a call is for. Live state (background tasks, read cursors) hangs on `id`:
 * the stdio process, the legacy HTTP session, or the modern HTTP principal.
 */
export interface ClientContext {
  readonly id: string;
  readonly limits: ClientLimits;
  /** Where commands run: the client's first root, else `--cwd`, else the process's directory, else home. */
  workspaceDir(): Promise<string>;
}

/** One `tools/call`, whatever transport it came by. */
export interface CallRequest {
  readonly name: string;
  /** `params.arguments` as received; undefined when absent. */
  readonly args: unknown;
  /** The revision whose shape the result must have. */
  readonly version: ProtocolVersion;
  readonly client: ClientContext;
  /** Cancelled when the client cancels or goes. */
  readonly cancellation: Cancellation;
  /** Present only when the request carried a progress token. */
  readonly onProgress?: (message: string) => void;
}

export type CallOutcome =
  /** `json` is the result object as JSON text, already shaped for the request's version. */
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  /** Nobody waits for it any more: nothing is sent. */
  | { readonly kind: "cancelled" };

/** Lists tools and runs calls; knows nothing of connections. */
export interface Router {
  /** The tools that are built and not switched off, in catalogue order. */
  list(): readonly ToolListing[];
  /** Never rejects. */
  call(request: CallRequest): Promise<CallOutcome>;
}
