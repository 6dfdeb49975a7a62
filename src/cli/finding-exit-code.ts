import { exitCodes } from "./command-io.ts";

/** How the current offer compares with the approved or locked one. */
export type FindingKind = "changed" | "missing" | "new" | "unreachable";

/** For a command that compares: a change has priority over the rest. */
export function exitCodeOf(kinds: readonly FindingKind[]): number {
  if (kinds.includes("changed")) return exitCodes.changed;
  if (kinds.includes("missing") || kinds.includes("new")) return exitCodes.missing;
  return kinds.includes("unreachable") ? exitCodes.unreachable : exitCodes.done;
}
