import type { Cancellation } from "../../src/base/cancellation.ts";
import { AppError } from "../../src/base/errors.ts";

/**
 * Time that a fixture takes because the suite wants to see it take time.
 * @throws AppError `cancelled`, as soon as nobody waits any more
 */
export function pause(ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(handle);
      reject(new AppError("cancelled", "The call was cancelled."));
    };
    const handle = setTimeout(() => {
      cancellation.offCancel(stop);
      resolve();
    }, ms);
    cancellation.onCancel(stop);
  });
}
