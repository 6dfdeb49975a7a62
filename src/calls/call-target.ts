import { isAtLeast } from "../protocol/versions.ts";
import type { CallRequest, CallTarget, NamedTool } from "./call.ts";

/**
 * Whether a result of this call that has no structured content must be an error: the client was shown a schema of it, and
 * refuses, or does not show, any other. A program shows what there is.
 */
export function promisesStructure({ target, version, wantsData }: CallRequest): boolean {
  if (target?.kind !== "tool" || wantsData === true) return false;
  return target.hasOutputSchema && isAtLeast(version, "2025-06-18");
}

/** The server and tool that a call is about; undefined for what belongs to no other server. */
export function foreignToolOf(target: CallTarget | undefined): NamedTool | undefined {
  return target?.kind === "tool" || target?.kind === "blocked" ? target : undefined;
}
