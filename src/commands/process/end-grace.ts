import { shutdownGraceMs, shutdownGraceMsMin, shutdownKillMs } from "../../base/limits.ts";

/** When the last KILL is due for a server that begins to go now; by `performance.now()`, as all such times. */
export function killTime(): number {
  return performance.now() + shutdownKillMs;
}

/**
 * How long each of the steps before KILL may take that are still to come, in ms.
 * @param steps how many those are
 */
export function graceUntil(killAt: number, steps = 1, now = performance.now()): number {
  const leftMs = (killAt - now) / steps;
  return Math.min(shutdownGraceMs, Math.max(shutdownGraceMsMin, leftMs));
}
