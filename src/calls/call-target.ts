import type { ToolAnnotations } from "../protocol/tool-types.ts";
import type { BlockReason, ServerRights } from "../upstream/snapshot.ts";

/** A tool of an upstream server, however it was named in the call. */
export interface NamedTool {
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  /** How the call named it, where that was not its name here. */
  readonly alias?: string;
}

export interface ToolTarget extends NamedTool {
  readonly kind: "tool";
  readonly rights: ServerRights;
  /** Hints of an untrusted party: may tighten a decision, never loosen one. */
  readonly annotations?: ToolAnnotations;
  /** The definition that was approved says that it only reads. */
  readonly isReadOnly?: true;
  /** Clients that were sent a schema of its results require structured content in each that is not an error. */
  readonly hasOutputSchema: boolean;
}

interface BlockedTarget extends NamedTool {
  readonly kind: "blocked";
  readonly reason: BlockReason;
  /** The change, and how to approve it. */
  readonly text: string;
}

/** Where a call goes that is for none of our own tools. */
export type CallTarget =
  | ToolTarget
  | BlockedTarget
  /** `tool_search`. */
  | { readonly kind: "search" }
  /** There is no such tool, or more than one. `isResult`: it came by `tool_call`, so this is its result. */
  | { readonly kind: "unresolved"; readonly text: string; readonly isResult: boolean };

/** The upstream server and tool that a call is about; undefined if it concerns no upstream server. */
export function upstreamToolOf(target: CallTarget | undefined): NamedTool | undefined {
  return target?.kind === "tool" || target?.kind === "blocked" ? target : undefined;
}
