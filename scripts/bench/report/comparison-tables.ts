/** All servers side by side, each figure with its ratio to the floor of the same run. */
import { adapterOf, serverNames } from "../adapters.ts";
import type { ServerName } from "../adapters.ts";
import { metricOf } from "../metrics.ts";
import type { MetricId } from "../metrics.ts";
import { bestOf, valueOf } from "../result.ts";
import type { RunResult } from "../result.ts";
import { floors } from "../targets.ts";
import { pageTable } from "../../docs/markdown.ts";
import { formatRatio, formatValue } from "./numbers.ts";

interface Comparison {
  readonly heading: string;
  /** The best of these is what the ratios refer to. */
  readonly floors: readonly ServerName[];
  readonly metrics: readonly MetricId[];
}

const comparisons: readonly Comparison[] = [
  {
    heading: "Start and memory",
    floors,
    metrics: [
      "initializeMs",
      "toolsListMs",
      "startProcessorMs",
      "startPeakMb",
      "idlePrivateMb",
      "idleProportionalMb",
      "leftPrivateMb",
      "executableMb",
    ],
  },
  {
    heading: "Calls",
    floors,
    metrics: [
      "cheapUs",
      "cheapOneUs",
      "pingUs",
      "pingOneUs",
      "pipelinedPerSecond",
      "bigRequestMs",
      "busyCheapUs",
    ],
  },
  {
    heading: "Calls through gateways",
    floors: ["sdk2_bun"],
    metrics: ["relayUs", "relayP99Us", "relayProcessorUs", "relayClientUs", "relayClientP99Us"],
  },
  {
    heading: "HTTP",
    floors: ["floor_http"],
    metrics: [
      "httpPerSecond",
      "httpP99Ms",
      "httpProcessorUs",
      "httpCallUs",
      "httpLegacyPerSecond",
      "sessionKb",
      "openSessionKb",
    ],
  },
  {
    heading: "Shell tool",
    floors: ["floor_bash"],
    metrics: [
      "firstShellMs",
      "shellMs",
      "pausedShellMs",
      "shell16PerSecond",
      "output1MbMs",
      "output10MbMs",
      "output10MbPeakMb",
      "output100MbMs",
      "output100MbPeakMb",
      "slowReaderIntact",
      "slowReaderPeakMb",
    ],
  },
];

/** Metrics whose ratio to a C program says nothing. */
const withoutRatio: ReadonlySet<MetricId> = new Set([
  "startPeakMb",
  "idlePrivateMb",
  "idleProportionalMb",
  "leftPrivateMb",
  "executableMb",
  "output100MbPeakMb",
  "output10MbPeakMb",
  "slowReaderIntact",
  "slowReaderPeakMb",
  "sessionKb",
  "openSessionKb",
]);

export function comparisonTables(result: RunResult): string {
  return comparisons
    .map((comparison) => renderComparison(comparison, result))
    .filter((table) => table !== "")
    .join("\n\n");
}

function renderComparison(comparison: Comparison, result: RunResult): string {
  const columns = comparison.metrics.filter((metric) =>
    serverNames.some((server) => valueOf(result, server, metric) !== undefined),
  );
  const rows = serverNames
    .filter((server) => columns.some((metric) => valueOf(result, server, metric) !== undefined))
    .map((server) => [
      adapterOf(server).label,
      ...columns.map((metric) => cell(result, server, metric, comparison.floors)),
    ]);
  if (rows.length === 0) return "";
  const headings = ["server", ...columns.map((metric) => heading(metric))];
  return `### ${comparison.heading}\n\n${pageTable(headings, rows)}`;
}

function heading(id: MetricId): string {
  const { title, unit } = metricOf(id);
  return unit === "/s" ? `${title}, calls/s` : title;
}

function cell(
  result: RunResult,
  server: ServerName,
  id: MetricId,
  of: readonly ServerName[],
): string {
  const { unit, shown } = metricOf(id);
  const value = valueOf(result, server, id, shown);
  if (value === undefined) return "–";
  const text = formatValue(value, unit);
  const better = unit === "/s" ? "highest" : "lowest";
  const reference = bestOf(result, of, id, shown, better);
  if (reference === undefined || of.includes(server) || withoutRatio.has(id)) return text;
  return `${text} (${formatRatio(value / reference)})`;
}
