/** What scorpiox-code has to reach, as data, and whether a run reached it. */
import type { ServerName } from "./adapters.ts";
import { metricOf } from "./metrics.ts";
import type { MetricId, Statistic } from "./metrics.ts";
import { bestOf, valueOf } from "./result.ts";
import type { RunResult } from "./result.ts";

type Direction = "at most" | "at least";

export type Bound =
  | { readonly kind: "value"; readonly is: Direction; readonly value: number }
  /** `value` and, for each unit that `per` counts, `each` more. */
  | {
      readonly kind: "value per unit";
      readonly is: "at most";
      readonly value: number;
      readonly each: number;
      readonly per: MetricId;
      readonly unitName: string;
    }
  /** A multiple of what the best of `of` reached in the same run, for the same figure. */
  | {
      readonly kind: "multiple";
      readonly is: Direction;
      readonly factor: number;
      readonly of: readonly [ServerName, ...ServerName[]];
    };

export interface Target {
  readonly figure: string;
  readonly server: ServerName;
  readonly metric: MetricId;
  /** p50 when not given. */
  readonly statistic?: Statistic;
  /** Absent for a figure that is watched but has no target. */
  readonly bound?: Bound;
  /** A wish: missing it does not fail `--check`. */
  readonly stretch?: true;
}

/** Both answer what needs no shell; the better one stands for the machine when the other was scheduled badly. */
export const floors = ["floor_echo", "floor_bash"] as const;

const officialSdk = ["sdk1_bun", "sdk2_bun", "sdk1_node", "sdk2_node"] as const;

export const targets: readonly Target[] = [
  {
    figure: "spawn → `initialize` answered",
    server: "scorpiox",
    metric: "initializeMs",
    bound: { kind: "multiple", is: "at most", factor: 12, of: floors },
  },
  {
    figure: "the same beside the Bun-compiled official SDK",
    server: "scorpiox",
    metric: "initializeMs",
    bound: { kind: "multiple", is: "at most", factor: 1 / 3, of: ["sdk1_bun", "sdk2_bun"] },
  },
  {
    figure: "spawn → `tools/list` answered",
    server: "scorpiox",
    metric: "toolsListMs",
    bound: { kind: "multiple", is: "at most", factor: 14, of: floors },
  },
  {
    figure: "cheap call through a Worker, p50",
    server: "scorpiox",
    metric: "cheapUs",
    bound: { kind: "multiple", is: "at most", factor: 4.5, of: floors },
  },
  {
    figure: "cheap call through a Worker, p99 on a quiet machine",
    server: "scorpiox",
    metric: "cheapUs",
    statistic: "p99",
    bound: { kind: "value", is: "at most", value: 300 },
  },
  {
    figure: "`ping`, p50",
    server: "scorpiox",
    metric: "pingUs",
    bound: { kind: "multiple", is: "at most", factor: 2.3, of: floors },
  },
  {
    figure: "pipelined calls a second, 64 in flight",
    server: "scorpiox",
    metric: "pipelinedPerSecond",
    bound: { kind: "multiple", is: "at least", factor: 2, of: officialSdk },
  },
  {
    figure: "Bash `echo hi`, p50",
    server: "scorpiox",
    metric: "shellMs",
    bound: { kind: "multiple", is: "at most", factor: 1.25, of: ["floor_bash"] },
  },
  {
    figure: "Bash `echo hi`, p50, with a warm shell",
    server: "scorpiox",
    metric: "shellMs",
    bound: { kind: "multiple", is: "at most", factor: 0.6, of: ["floor_bash"] },
    stretch: true,
  },
  {
    figure: "16 shell calls at once, calls a second",
    server: "scorpiox",
    metric: "shell16PerSecond",
    bound: { kind: "multiple", is: "at least", factor: 0.9, of: ["floor_bash"] },
  },
  {
    figure: "10 MB of output",
    server: "scorpiox",
    metric: "output10MbMs",
    bound: { kind: "multiple", is: "at most", factor: 1.6, of: ["floor_bash"] },
  },
  {
    figure: "10 MB of output, peak resident memory",
    server: "scorpiox",
    metric: "output10MbPeakMb",
    statistic: "max",
    bound: { kind: "value", is: "at most", value: 130 },
  },
  {
    figure: "cheap call while 8 slow calls run, p99",
    server: "scorpiox",
    metric: "busyCheapUs",
    statistic: "p99",
    bound: { kind: "value", is: "at most", value: 150 },
  },
  {
    figure: "idle private memory after `tools/list`",
    server: "scorpiox",
    metric: "idlePrivateMb",
    bound: {
      kind: "value per unit",
      is: "at most",
      value: 8,
      each: 1.5,
      per: "liveWorkers",
      unitName: "live Worker",
    },
  },
  {
    figure: "private memory of one more Worker",
    server: "scorpiox",
    metric: "workerPrivateMb",
  },
  {
    figure: "cheap call relayed to an SDK server, beside the same called directly",
    server: "gateway_sdk",
    metric: "relayUs",
    bound: { kind: "multiple", is: "at most", factor: 4, of: ["sdk2_bun"] },
  },
  {
    figure: "what of it is the way through another thread: a bare relay, beside the direct call",
    server: "floor_relay",
    metric: "relayUs",
    bound: { kind: "multiple", is: "at most", factor: 4, of: ["sdk2_bun"] },
    // No target of ours: it says how much of the one above can be met at all.
    stretch: true,
  },
  {
    figure: "the same over HTTP, beside other gateways",
    server: "gateway_http",
    metric: "relayUs",
    bound: { kind: "multiple", is: "at most", factor: 0.5, of: ["supergateway", "mcp_proxy"] },
  },
  {
    figure: "cheap call relayed to a C program, beside the same called directly",
    server: "gateway",
    metric: "cheapUs",
    bound: { kind: "multiple", is: "at most", factor: 4, of: floors },
    // What it takes to cross to another thread and back is several times what the whole direct call takes.
    stretch: true,
  },
  {
    figure: "replies that arrive whole behind a slow reader",
    server: "scorpiox",
    metric: "slowReaderIntact",
    bound: { kind: "value", is: "at least", value: 100 },
  },
  {
    figure: "HTTP, 64 clients, calls a second",
    server: "scorpiox",
    metric: "httpPerSecond",
    bound: { kind: "multiple", is: "at least", factor: 3, of: ["sdk2_bun"] },
  },
  {
    figure: "HTTP, 64 clients, p99",
    server: "scorpiox",
    metric: "httpP99Ms",
    bound: { kind: "multiple", is: "at most", factor: 1, of: ["sdk2_bun"] },
  },
  {
    figure: "private memory of one idle HTTP session, of 10,000 (as many as there may be)",
    server: "scorpiox",
    metric: "sessionKb",
    bound: { kind: "value", is: "at most", value: 20 },
  },
  {
    figure: "a looping Worker ended and replaced",
    server: "faulty",
    metric: "loopReplacementMs",
  },
];

export type VerdictState = "met" | "missed" | "not measured" | "no target";

export interface Verdict {
  readonly target: Target;
  readonly state: VerdictState;
  readonly measured?: number;
  /** The measured value over the reference of a "multiple" bound, or over the bound itself. */
  readonly ratio?: number;
}

export function judge(target: Target, result: RunResult): Verdict {
  const measured = valueOf(result, target.server, target.metric, target.statistic);
  if (measured === undefined) return { target, state: "not measured" };
  if (target.bound === undefined) return { target, state: "no target", measured };
  const reference = referenceOf(target, target.bound, result);
  if (reference === undefined) return { target, state: "not measured", measured };
  const factor = target.bound.kind === "multiple" ? target.bound.factor : 1;
  const limit = reference * factor;
  const met = target.bound.is === "at most" ? measured <= limit : measured >= limit;
  return { target, state: met ? "met" : "missed", measured, ratio: measured / reference };
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
