import { answerMarginMs } from "../base/limits.ts";
import type { ClientContext } from "./call.ts";

/**
 * When a client must have the answer to a call that came at `begunAt`, on the clock of `performance.now()`; undefined
 * when it waits for ever.
 */
export function answerTimeOf({ limits }: ClientContext, begunAt: number): number | undefined {
  const { answerMs } = limits;
  if (answerMs === 0) return undefined;
  // Half of a limit that is shorter than the margin twice over.
  return begunAt + Math.max(answerMs - answerMarginMs, answerMs / 2);
}
