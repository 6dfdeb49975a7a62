import { exitCodes } from "./command-io.ts";

/** How what is there stands to what was approved or locked. */
export type FindingKind = "changed" | "missing" | "new" | "unreachable";

/** Of a command that compares: what was changed must not hide behind the rest. */
export function exitCodeOf(kinds: readonly FindingKind[]): number {
  if (kinds.includes("changed")) return exitCodes.changed;
  if (kinds.includes("missing") || kinds.includes("new")) return exitCodes.missing;
  return kinds.includes("unreachable") ? exitCodes.unreachable : exitCodes.done;
}
