import { answerMarginMs } from "../base/limits.ts";
import { FaultError } from "./ask-client.ts";
import type { CallRequest, ClientContext, TaskOptions } from "./call.ts";

/**
 * When a client must have the answer to a call that came at `begunAt`, on the clock of `performance.now()`; undefined
 * when it waits forever.
 */
export function answerTimeOf({ limits }: ClientContext, begunAt: number): number | undefined {
  const { answerMs } = limits;
  if (answerMs === 0) return undefined;
  // Half of a limit that is shorter than the margin twice over.
  return begunAt + Math.max(answerMs - answerMarginMs, answerMs / 2);
}

/**
 * Lets a call go on as an MCP task. False when its client takes none, or there are too many: then the call is
 * answered as if there were no MCP tasks.
 */
export function tryBecomeTask({ becomeTask }: CallRequest, options: TaskOptions): boolean {
  if (becomeTask === undefined) return false;
  try {
    becomeTask(options);
    return true;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}
