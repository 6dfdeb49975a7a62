import { cancelledError } from "../../base/turns.ts";

/**
 * The result of `work`, or the end of the call, whichever is first.
 * @throws AppError `cancelled`
 * @param onLate receives the result of the work when it comes too late
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  onLate: (value: T) => void,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(cancelledError());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  aborted.promise.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } catch (error) {
    if (signal.aborted) work.then(onLate, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
