/** Every figure that a phase records, and how the report shows it. */
import type { PhaseName } from "./phases/phase-names.ts";

export type Unit = "ms" | "µs" | "kB" | "MB" | "/s" | "%" | "";

export type Statistic = "min" | "p50" | "p95" | "p99" | "max";

export interface Metric {
  /** Column heading. */
  readonly title: string;
  readonly unit: Unit;
  readonly phase: PhaseName;
  /** The value that the comparison shows; p50 when not given. */
  readonly shown?: Statistic;
}

const metrics = {
  initializeMs: { title: "initialize", unit: "ms", phase: "cold" },
  toolsListMs: { title: "tools/list", unit: "ms", phase: "cold" },
  startProcessorMs: { title: "processor time", unit: "ms", phase: "cold" },
  startPeakMb: { title: "peak resident", unit: "MB", phase: "cold" },
  idlePrivateMb: { title: "idle private", unit: "MB", phase: "memory" },
  idleProportionalMb: { title: "idle PSS", unit: "MB", phase: "memory" },
  liveWorkers: { title: "live Workers", unit: "", phase: "memory" },
  leftPrivateMb: { title: "private a minute after calls", unit: "MB", phase: "idle" },
  workerPrivateMb: { title: "private per Worker", unit: "MB", phase: "memory" },
  cheapUs: { title: "cheap call", unit: "µs", phase: "calls" },
  pingUs: { title: "ping", unit: "µs", phase: "calls" },
  cheapOneUs: { title: "cheap call, one processor", unit: "µs", phase: "one" },
  pingOneUs: { title: "ping, one processor", unit: "µs", phase: "one" },
  relayUs: { title: "cheap call", unit: "µs", phase: "relay" },
  relayP99Us: { title: "its p99", unit: "µs", phase: "relay" },
  relayClientUs: { title: "by the official client", unit: "µs", phase: "relay" },
  relayClientP99Us: { title: "its p99", unit: "µs", phase: "relay" },
  relayProcessorUs: { title: "processor time per call", unit: "µs", phase: "relay" },
  pipelinedPerSecond: { title: "64 in flight", unit: "/s", phase: "pipelined" },
  shellMs: { title: "`echo hi`", unit: "ms", phase: "shell" },
  firstShellMs: { title: "first 30", unit: "ms", phase: "shell" },
  pausedShellMs: { title: "after 20 ms of nothing", unit: "ms", phase: "shell" },
  shell16PerSecond: { title: "16 at once", unit: "/s", phase: "shell" },
  output1MbMs: { title: "1 MB output", unit: "ms", phase: "output" },
  output10MbMs: { title: "10 MB output", unit: "ms", phase: "output" },
  output10MbPeakMb: { title: "its peak resident", unit: "MB", phase: "output", shown: "max" },
  output100MbMs: { title: "100 MB output", unit: "ms", phase: "output" },
  output100MbPeakMb: { title: "its peak resident", unit: "MB", phase: "output", shown: "max" },
  busyCheapUs: { title: "p99 beside 8 slow calls", unit: "µs", phase: "busy", shown: "p99" },
  bigRequestMs: { title: "5 MB request", unit: "ms", phase: "request" },
  slowReaderIntact: { title: "whole behind a slow reader", unit: "%", phase: "backpressure" },
  slowReaderPeakMb: { title: "its peak resident", unit: "MB", phase: "backpressure" },
  httpPerSecond: { title: "64 clients", unit: "/s", phase: "http" },
  httpP99Ms: { title: "its p99", unit: "ms", phase: "http" },
  httpProcessorUs: { title: "processor time per call", unit: "µs", phase: "http" },
  httpCallUs: { title: "one client", unit: "µs", phase: "http" },
  httpLegacyPerSecond: { title: "64 sessions", unit: "/s", phase: "http" },
  sessionKb: { title: "idle session", unit: "kB", phase: "sessions" },
  openSessionKb: { title: "the same with its connection", unit: "kB", phase: "sessions" },
  executableMb: { title: "executable", unit: "MB", phase: "size" },
  zstMb: { title: "download, .zst", unit: "MB", phase: "size" },
  gzMb: { title: "download, .gz", unit: "MB", phase: "size" },
  loopReplacementMs: { title: "Worker replaced", unit: "ms", phase: "replacement" },
} as const satisfies Record<string, Metric>;

export type MetricId = keyof typeof metrics;

/** The metric with its optional parts visible. */
export function metricOf(id: MetricId): Metric {
  return metrics[id];
}
