/** What a change may not make worse, and how much. */

/** What is measured with one process, or with none. */
export const parts = ["start", "calls", "output", "relay", "http", "memory", "size"] as const;
export type Part = (typeof parts)[number];
/** What is measured once a turn. */
export type TurnPart = Exclude<Part, "memory">;

interface Figure {
  readonly title: string;
  readonly unit: "ms" | "µs" | "MB";
  readonly part: Part;
  /**
   * Of a processor time: the figures that it is judged instead of when they are not decided. On a busy machine times say little
   * and processor times still a lot. Otherwise it is only shown: a call that is answered sooner may cost more of it.
   */
  readonly standsInFor?: readonly string[];
}

const figures = {
  initialize: { title: "spawn → `initialize`", unit: "ms", part: "start" },
  toolsList: { title: "spawn → `tools/list`", unit: "ms", part: "start" },
  startProcessor: {
    title: "a start, processor time",
    unit: "ms",
    part: "start",
    standsInFor: ["initialize", "toolsList"],
  },
  first: { title: "first 500 `ListBgTasks`", unit: "µs", part: "calls" },
  firstProcessor: {
    title: "first 500 `ListBgTasks`, processor time",
    unit: "µs",
    part: "calls",
    standsInFor: ["first"],
  },
  cheap: { title: "next 2,400 `ListBgTasks`", unit: "µs", part: "calls" },
  cheapProcessor: {
    title: "next 2,400 `ListBgTasks`, processor time",
    unit: "µs",
    part: "calls",
    standsInFor: ["cheap"],
  },
  bash: { title: "Bash `echo hi`", unit: "ms", part: "calls" },
  bashProcessor: {
    title: "Bash `echo hi`, our processor time",
    unit: "ms",
    part: "calls",
    standsInFor: ["bash"],
  },
  pausedBash: { title: "Bash after 20 ms of nothing", unit: "ms", part: "calls" },
  background: { title: "BackgroundBash `:`", unit: "ms", part: "calls" },
  backgroundProcessor: {
    title: "BackgroundBash `:`, our processor time",
    unit: "ms",
    part: "calls",
    standsInFor: ["background"],
  },
  output: { title: "100 MB of output", unit: "ms", part: "output" },
  outputProcessor: {
    title: "100 MB of output, our processor time",
    unit: "ms",
    part: "output",
    standsInFor: ["output"],
  },
  outputPeak: { title: "its peak resident memory", unit: "MB", part: "output" },
  relay: { title: "a call relayed to an MCP server", unit: "µs", part: "relay" },
  relayProcessor: {
    title: "a call relayed, our processor time",
    unit: "µs",
    part: "relay",
    standsInFor: ["relay"],
  },
  http: { title: "`server/discover` over HTTP", unit: "µs", part: "http" },
  listedMemory: {
    title: "private memory, 1.5 s after `tools/list`",
    unit: "MB",
    part: "memory",
  },
  firstBash: {
    title: "first Bash call then, our processor time",
    unit: "ms",
    part: "memory",
  },
  memory: { title: "private memory, a minute after the last call", unit: "MB", part: "memory" },
  size: { title: "executable", unit: "MB", part: "size" },
} as const satisfies Record<string, Figure>;

export type FigureId = keyof typeof figures;
export const figureIds = Object.keys(figures) as readonly FigureId[];

/** The figure with its optional parts visible. */
export function figureOf(id: FigureId): Figure {
  return figures[id];
}
