/**
 * Lets everything else that waits have its turn. By the global timer: loading `node:timers/promises` would cost each start a
 * millisecond.
 */
export function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
