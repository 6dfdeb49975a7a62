import type { Cancellation } from "../base/cancellation.ts";

/** Does `work` with a signal that is aborted when the call is cancelled. */
export async function withSignal<T>(
  cancellation: Cancellation,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  cancellation.onCancel(abort);
  try {
    return await work(controller.signal);
  } finally {
    cancellation.offCancel(abort);
  }
}
