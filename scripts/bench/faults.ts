/**
 * The tools of the faulty test server that break their Worker on purpose, for the phase "replacement".
 * This table is the only place that knows their names.
 */
import type { ToolCall } from "./client/message.ts";
import type { MetricId } from "./metrics.ts";

/** The moment from which the replacement is waited for. */
type FaultEnd =
  /** The tool kills its own Worker at once: counted from the call. */
  | { readonly kind: "itself" }
  /** The server ends the job after its deadline: counted from that deadline. */
  | { readonly kind: "deadline"; readonly deadlineMs: number }
  /** The client cancels the call after a while: counted from the cancellation. */
  | { readonly kind: "cancel"; readonly afterMs: number };

export interface Fault {
  readonly metric: MetricId;
  readonly call: ToolCall;
  readonly end: FaultEnd;
}

/** Relative to the repository. */
export const faultyBinary = "dist/test/scorpiox-faulty";

/** A cheap tool that needs a Worker: its answer proves that one is ready. */
export const probe: ToolCall = { name: "ListBgTasks", args: {} };

export const faults: readonly Fault[] = [
  {
    metric: "loopReplacementMs",
    call: { name: "FaultyLoop", args: {} },
    end: { kind: "deadline", deadlineMs: 300 },
  },
];
