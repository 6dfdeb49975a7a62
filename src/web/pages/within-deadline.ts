import { type Timer, startTimer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";

/** Aborted work that has not ended after this is abandoned: its place is needed. */
const stuckMs = 1_000;

/**
 * The result of `work`, in time.
 * @param signal ends the work, as the deadline does; a result that still comes in time is used
 * @param late the message when the deadline was the reason of a failure
 * @throws AppError `cancelled` when `signal` says so, what `late` gives, what the work throws
 */
export async function withinDeadline<T>(
  msMax: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => AppError,
): Promise<T> {
  const deadline = new AbortController();
  const timer = startTimer(msMax, () => deadline.abort());
  const either = AbortSignal.any([signal, deadline.signal]);
  const stuck = Promise.withResolvers<never>();
  let patience: Timer | undefined;
  const onEnd = (): void => {
    patience = startTimer(stuckMs, () => stuck.reject(late()));
  };
  either.addEventListener("abort", onEnd, { once: true });
  try {
    const result = await Promise.race([work(either), stuck.promise]);
    if (signal.aborted) throw cancelled();
    return result;
  } catch (error) {
    if (signal.aborted) throw cancelled();
    if (deadline.signal.aborted && isOfTheEnd(error)) throw late();
    throw error;
  } finally {
    either.removeEventListener("abort", onEnd);
    timer.stop();
    patience?.stop();
  }
}

function cancelled(): AppError {
  return new AppError("cancelled", "The page is no longer wanted.");
}

/** Whether the end of the work explains it: a request that is ended is cancelled, or its connection is closed. */
function isOfTheEnd(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === "cancelled" || error.code === "system";
}
