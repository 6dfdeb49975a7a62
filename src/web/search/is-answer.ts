import type { EngineReport } from "./search-reply.ts";

/** True for an engine that is in order, whether it knows the words or not. */
export function isAnswer({ status }: EngineReport): boolean {
  return status === "ok" || status === "no_results";
}
