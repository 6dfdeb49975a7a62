/** What one run found: the content of `.build/bench/last.json`, and all that the report is made from. */
import { isObject } from "./client/message.ts";
import type { ServerName } from "./adapters.ts";
import type { Machine } from "./machine.ts";
import type { MetricId, Statistic } from "./metrics.ts";
import type { PhaseName } from "./phases/phase-names.ts";
import type { Settings } from "./settings.ts";
import type { Summary } from "./stats.ts";

export interface ServerResult {
  readonly metrics: Readonly<Partial<Record<MetricId, Summary>>>;
  /** What a reader of the figures has to know: failures, cut results. */
  readonly notes: readonly string[];
}

export interface RunResult {
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly settings: Settings;
  readonly phases: readonly PhaseName[];
  readonly elapsedMs: number;
  /** In the order of the report. */
  readonly servers: Readonly<Partial<Record<ServerName, ServerResult>>>;
  /** Servers that could not take part, and why. */
  readonly skipped: Readonly<Partial<Record<ServerName, string>>>;
}

/** Undefined when it was not measured. */
export function valueOf(
  result: RunResult,
  server: ServerName,
  metric: MetricId,
  statistic: Statistic = "p50",
): number | undefined {
  return result.servers[server]?.metrics[metric]?.[statistic];
}

/** The best that any of `servers` reached, or undefined when none was measured. */
export function bestOf(
  result: RunResult,
  servers: readonly ServerName[],
  metric: MetricId,
  statistic: Statistic | undefined,
  better: "lowest" | "highest",
): number | undefined {
  const values = servers
    .map((server) => valueOf(result, server, metric, statistic))
    .filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  return better === "lowest" ? Math.min(...values) : Math.max(...values);
}

/** Recognises a saved run by its parts; what is in them is our own and trusted. */
export function isRunResult(value: unknown): value is RunResult {
  if (!isObject(value)) return false;
  const parts = [value.machine, value.settings, value.servers, value.skipped];
  return parts.every(isObject) && Array.isArray(value.phases);
}
