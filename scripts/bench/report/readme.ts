/** The few figures that the README shows, between two markers. */
import { adapterOf } from "../adapters.ts";
import type { ServerName } from "../adapters.ts";
import { metricOf } from "../metrics.ts";
import type { MetricId } from "../metrics.ts";
import { valueOf } from "../result.ts";
import type { RunResult } from "../result.ts";
import { machineLine } from "./machine-line.ts";
import { pageTable } from "../../docs/markdown.ts";
import { formatValue } from "./numbers.ts";

const beginMarker = "<!-- bench:begin -->";
const endMarker = "<!-- bench:end -->";

interface ReadmeRow {
  readonly figure: string;
  readonly metric: MetricId;
  /** Absent where there is no C floor. */
  readonly floor?: ServerName;
}

const rows: readonly ReadmeRow[] = [
  { figure: "start, until `initialize` is answered", metric: "initializeMs", floor: "floor_echo" },
  { figure: "cheap call, one at a time", metric: "cheapUs", floor: "floor_echo" },
  {
    figure: "cheap calls a second, 64 in flight",
    metric: "pipelinedPerSecond",
    floor: "floor_echo",
  },
  { figure: "calls over HTTP a second, 64 clients", metric: "httpPerSecond" },
  { figure: "`echo hi` in a shell", metric: "shellMs", floor: "floor_bash" },
  { figure: "shell calls a second, 16 at once", metric: "shell16PerSecond", floor: "floor_bash" },
  { figure: "private memory when idle", metric: "idlePrivateMb", floor: "floor_echo" },
];

const columns = ["scorpiox", "sdk2_bun", "sdk2_node"] as const;

export function readmeFigures(result: RunResult): string {
  const headings = ["", ...columns.map((server) => adapterOf(server).label), "C floor"];
  const cells = rows.map(({ figure, metric, floor }) => [
    figure,
    ...[...columns, floor].map((server) => (server ? figureOf(result, server, metric) : "–")),
  ]);
  return `${pageTable(headings, cells)}\n\n${machineLine(result)}`;
}

/** `readme` with `body` between the markers, or undefined when it does not hold both of them in order. */
export function injectBetweenMarkers(readme: string, body: string): string | undefined {
  const begin = readme.indexOf(beginMarker);
  const end = readme.indexOf(endMarker, begin);
  if (begin < 0 || end < 0) return undefined;
  const before = readme.slice(0, begin + beginMarker.length);
  return `${before}\n\n${body}\n\n${readme.slice(end)}`;
}

function figureOf(result: RunResult, server: ServerName, metric: MetricId): string {
  const { unit, shown } = metricOf(metric);
  const value = valueOf(result, server, metric, shown);
  return value === undefined ? "–" : formatValue(value, unit);
}
