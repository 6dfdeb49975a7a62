import { timerStepMsMax } from "./limits.ts";

/** A timer that can be stopped; `stop` is idempotent. */
export interface Timer {
  stop(): void;
}

/**
 * Calls `fire` once after `delayMs`, however long that is: `setTimeout` fires at once above
 * 2^31 - 1 ms, so long delays are chained. Does not keep the process alive.
 */
export function startTimer(delayMs: number, fire: () => void): Timer {
  const deadline = performance.now() + delayMs;
  let handle: ReturnType<typeof setTimeout> | undefined;
  const step = (): void => {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return fire();
    handle = setTimeout(step, Math.min(leftMs, timerStepMsMax));
    handle.unref();
  };
  handle = setTimeout(step, Math.min(Math.max(delayMs, 0), timerStepMsMax));
  handle.unref();
  return { stop: () => clearTimeout(handle) };
}
