import type { ServerName } from "../../scripts/bench/adapters.ts";
import type { MetricId } from "../../scripts/bench/metrics.ts";
import { phaseNames } from "../../scripts/bench/phases/phase-names.ts";
import type { RunResult, ServerResult } from "../../scripts/bench/result.ts";
import { fullSettings } from "../../scripts/bench/settings.ts";
import { summarize } from "../../scripts/bench/stats.ts";

type Values = Partial<Record<ServerName, Partial<Record<MetricId, number>>>>;

/** A run in which each figure was measured once. */
export function sampleRun(values: Values, overrides: Partial<RunResult> = {}): RunResult {
  const servers: Record<string, ServerResult> = {};
  for (const [server, figures] of Object.entries(values)) {
    const summaries = Object.entries(figures).map(([id, value]) => [id, summarize([value])]);
    servers[server] = { metrics: Object.fromEntries(summaries), notes: [] };
  }
  return {
    date: "2026-01-02T03:04:05.000Z",
    machine: {
      cores: 2,
      processor: "Test CPU",
      architecture: "x64",
      kernel: "Linux 6.1.0",
      bun: "1.4.5",
      node: "20.1.0",
      load: [0.1, 0.2, 0.3],
    },
    settings: fullSettings,
    phases: phaseNames,
    elapsedMs: 61_000,
    servers,
    skipped: {},
    ...overrides,
  };
}
