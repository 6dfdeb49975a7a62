import { terminateGraceMs } from "../../base/limits.ts";
import { startTimer } from "../../base/timer.ts";
import type { Execution } from "./execution.ts";

export interface AnswerTime {
  /** When the client must have an answer, on the clock of `performance.now()`; undefined = no limit. */
  readonly answerAt: number | undefined;
  /** Called when that time comes; true: the client was answered otherwise, and the command runs to its end. */
  readonly onAnswerDue?: () => boolean;
}

/**
 * True when the execution ended, false when `answerAt` came first and it may be handed over; when it
 * may not, it is ended as if its time were over.
 */
export async function untilEndOr(
  execution: Execution,
  { answerAt, onAnswerDue }: AnswerTime,
  mayHandOver: () => boolean,
): Promise<boolean> {
  if (answerAt === undefined) {
    await execution.ended;
    return true;
  }
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = startTimer(answerAt - performance.now(), () => {
    if (onAnswerDue?.() === true) return;
    if (mayHandOver()) resolve(false);
    else void execution.terminate("timeout", terminateGraceMs);
  });
  void execution.ended.then(() => resolve(true));
  const isEnded = await promise;
  timer.stop();
  return isEnded;
}
