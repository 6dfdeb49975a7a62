import { startTimer } from "../../base/timer.ts";

/**
 * The value of `promise`, if it comes by `deadline` (on the clock of `performance.now()`).
 * @throws what `late` gives, otherwise; the promise goes on, and nobody hears of it again
 */
export async function within<Value>(
  promise: Promise<Value>,
  deadline: number,
  late: () => Error,
): Promise<Value> {
  if (deadline === Number.POSITIVE_INFINITY) return promise;
  const { promise: lateness, reject } = Promise.withResolvers<never>();
  const timer = startTimer(deadline - performance.now(), () => reject(late()));
  try {
    return await Promise.race([promise, lateness]);
  } finally {
    timer.stop();
  }
}
