import { isAtLeast } from "../protocol/versions.ts";
import type { CallRequest } from "./call.ts";
import type { ToolAnnotations } from "../protocol/tool-types.ts";
import type { BlockReason, ServerRights } from "../upstream/snapshot.ts";

/** A tool of another server, however it was named in the call. */
interface NamedTool {
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  /** How the call named it, where that was not its name here. */
  readonly alias?: string;
}

export interface ToolTarget extends NamedTool {
  readonly kind: "tool";
  readonly rights: ServerRights;
  /** Of an untrusted party: may tighten a decision, never loosen one. */
  readonly annotations?: ToolAnnotations;
  /** The definition that was approved says that it only reads. */
  readonly isReadOnly?: true;
  /** Clients that were shown a schema of its results demand structured content of each that is no error. */
  readonly hasOutputSchema: boolean;
}

/**
 * Whether a result of this call that has no structured content must be an error: the client was shown a schema of it, and
 * refuses, or does not show, any other. A program shows what there is.
 */
export function promisesStructure({ target, version, wantsData }: CallRequest): boolean {
  if (target?.kind !== "tool" || wantsData === true) return false;
  return target.hasOutputSchema && isAtLeast(version, "2025-06-18");
}

interface BlockedTarget extends NamedTool {
  readonly kind: "blocked";
  readonly reason: BlockReason;
  /** What happened, and how to approve. */
  readonly text: string;
}

/** Where a call goes that is for none of our own tools. */
export type CallTarget =
  | ToolTarget
  | BlockedTarget
  /** `tool_search`. */
  | { readonly kind: "search" }
  /** There is no such tool, or more than one. `isResult`: it came by `tool_call`, so this is told as its result. */
  | { readonly kind: "unresolved"; readonly text: string; readonly isResult: boolean };

/** The server and tool that a call is about; undefined for what belongs to no other server. */
export function foreignToolOf(target: CallTarget | undefined): NamedTool | undefined {
  return target?.kind === "tool" || target?.kind === "blocked" ? target : undefined;
}
