import { workerJobMsMax, workerStartMsMax } from "../../base/limits.ts";
import type { Ending } from "./messages.ts";
import type { Stretch } from "./stretch-watch.ts";
import type { Job } from "./worker-slot.ts";

/** A cancelled job that still computes after this takes its Worker with it. */
export const cancelGraceMs = 250;

/** Said of a Worker whose job went on after its cancellation. */
export const cancelledReason = "its call was cancelled";

/** The facts about a Worker at one check. */
export interface WorkerState {
  readonly isReady: boolean;
  readonly ageMs: number;
  /** Jobs that compute in it, or will. */
  readonly load: number;
}

/**
 * The reason to end a Worker now, if there is one. Only the job that computes can be overdue: `job`, or a job that is over
 * (undefined): those in line spend no time of their own, however long they wait.
 */
export function findOverdue(
  worker: WorkerState,
  { jobId, ms }: Stretch,
  job: Pick<Job, "msMax"> | undefined,
): Ending | undefined {
  if (!worker.isReady) {
    return worker.ageMs > workerStartMsMax
      ? { reason: "it did not start", culpritId: 0 }
      : undefined;
  }
  if (jobId === 0) {
    // Code that a handler left behind computes outside the turn of any job.
    const isStuck = worker.load > 0 && ms > workerJobMsMax;
    return isStuck
      ? { reason: `it started no job within ${workerJobMsMax} ms`, culpritId: 0 }
      : undefined;
  }
  // A cancelled job may begin only after its cancellation.
  if (job === undefined) {
    return ms > cancelGraceMs ? { reason: cancelledReason, culpritId: jobId } : undefined;
  }
  if (ms <= job.msMax) return undefined;
  return { reason: `it did not finish within ${job.msMax} ms`, culpritId: jobId };
}
