import { AppError } from "./errors.ts";

/**
 * The result of `promise`, unless `signal` aborts first; then the result is dropped.
 * @throws {AppError} `cancelled`
 */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new AppError("cancelled", "This was interrupted."));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
