import { Lazy } from "../../base/lazy.ts";

/** The handlers that a start leaves out. */
export const lazyHandlers = new Lazy(async () => (await import("./late-handlers.ts")).lateHandlers);

/** Loads them before they are needed. A failure is reported by the request that needs one. */
export async function warmHandlers(): Promise<void> {
  await lazyHandlers.get().catch(() => {});
}
