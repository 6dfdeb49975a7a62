import { createDeferred } from "../../base/deferred.ts";
import { AppError } from "../../base/errors.ts";

/** What `promise` gives. @throws AppError `cancelled` as soon as nobody waits for it any more */
export async function orCancelled<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const cancelled = createDeferred<never>();
  const onAbort = (): void =>
    cancelled.reject(new AppError("cancelled", "The call was cancelled."));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, cancelled.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
