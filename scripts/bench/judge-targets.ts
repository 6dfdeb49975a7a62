/** Whether a run reached the targets. */
import type { ServerName } from "./adapters.ts";
import { metricOf } from "./metrics.ts";
import { bestOf, valueOf } from "./result.ts";
import type { RunResult } from "./result.ts";
import type { Bound, Target } from "./targets.ts";

export type VerdictState = "met" | "missed" | "not measured" | "no target";

export interface Verdict {
  readonly target: Target;
  readonly state: VerdictState;
  readonly measured?: number;
  /** The measured value over the reference of a "multiple" bound, or over the bound itself. */
  readonly ratio?: number;
  /** What the target has beside it, the best of each. */
  readonly floor?: number;
  readonly least?: number;
  readonly peer?: number;
}

/** What the same figure is elsewhere; nothing for what was not measured. */
function besideOf(target: Target, result: RunResult): Pick<Verdict, "floor" | "least" | "peer"> {
  const { unit } = metricOf(target.metric);
  const better = unit === "/s" || unit === "%" ? "highest" : "lowest";
  const best = (servers: readonly ServerName[] = []): number | undefined =>
    bestOf(result, servers, target.metric, target.statistic, better);
  const [floor, peer] = [best(target.floor), best(target.peers)];
  const least = best(target.least && [target.least]);
  return {
    ...(floor !== undefined && { floor }),
    ...(least !== undefined && { least }),
    ...(peer !== undefined && { peer }),
  };
}

export function judge(target: Target, result: RunResult): Verdict {
  const measured = valueOf(result, target.server, target.metric, target.statistic);
  const common = { target, ...besideOf(target, result) };
  if (measured === undefined) return { ...common, state: "not measured" };
  if (target.bound === undefined) return { ...common, state: "no target", measured };
  const reference = referenceOf(target, target.bound, result);
  if (reference === undefined) return { ...common, state: "not measured", measured };
  const factor = target.bound.kind === "multiple" ? target.bound.factor : 1;
  const limit = reference * factor;
  const met = target.bound.is === "at most" ? measured <= limit : measured >= limit;
  return { ...common, state: met ? "met" : "missed", measured, ratio: measured / reference };
}

/**
 * The targets that a run fails: all that it missed, and all that it was to measure and could not. Wishes, and figures
 * whose phase or servers were not chosen, do not count.
 */
export function failedTargets(verdicts: readonly Verdict[], result: RunResult): Verdict[] {
  return verdicts.filter(({ target, state }) => {
    if (target.stretch || target.bound === undefined) return false;
    return state === "missed" || (state === "not measured" && wasChosen(target, result));
  });
}

function wasChosen(target: Target, result: RunResult): boolean {
  const chosen = (server: ServerName): boolean =>
    result.servers[server] !== undefined || result.skipped[server] !== undefined;
  if (!result.phases.includes(metricOf(target.metric).phase) || !chosen(target.server))
    return false;
  return target.bound?.kind !== "multiple" || target.bound.of.some(chosen);
}

function referenceOf(target: Target, bound: Bound, result: RunResult): number | undefined {
  if (bound.kind === "value") return bound.value;
  if (bound.kind === "value per unit") {
    const units = valueOf(result, target.server, bound.per);
    return units === undefined ? undefined : bound.value + bound.each * units;
  }
  const better = bound.is === "at most" ? "lowest" : "highest";
  return bestOf(result, bound.of, target.metric, target.statistic, better);
}
