import type { InputRequests } from "../../protocol/input-request.ts";
import type { ProtocolFault } from "../../protocol/tool-types.ts";
import type { JobDone, JobMessage, ServiceCall, ServiceReply } from "./messages.ts";
import type { WorkerSlot } from "./worker-slot.ts";

/** How a job ended. */
export type JobOutcome =
  | Omit<JobDone, "jobId">
  | { readonly kind: "fault"; readonly fault: ProtocolFault; readonly isInvalid?: true }
  /** The client has to answer first; then the call is made again. */
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    }
  /** Its Worker hung, threw, exited or never started; `reason` is for people. */
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "cancelled" };

/** Makes the message of a job; called again when it starts over, since what is left of its time has shrunk. */
export type JobMessageSource = () => Omit<JobMessage, "kind" | "jobId" | "record">;

/** What a service answers when the job is over with it: its handler waits for a reply that never comes. */
export interface JobEnd {
  readonly ended: JobOutcome;
}

/** Answers the service calls of one job. Must not reject. */
export type JobServiceHost = (call: ServiceCall) => Promise<ServiceReply | JobEnd>;

/** One job on the main thread's side. */
export interface Job {
  /** Another one for each start: what an earlier Worker still says of it is recognised as stale. */
  id: number;
  readonly source: JobMessageSource;
  /** Time in its Worker, service calls not counted. */
  readonly msMax: number;
  readonly services: JobServiceHost;
  /** Tells the caller; called once. */
  readonly settle: (outcome: JobOutcome) => void;
  /** Replies that must not be asked for again, should the job start over. */
  readonly record: ServiceReply[];
  /** How often it started over after a Worker was lost without a culprit. */
  restarts: number;
  /** The Worker that has it; undefined while it waits for one. */
  slot: WorkerSlot | undefined;
  /** Its number among the jobs of that Worker. */
  place: number;
  /** True while it waits there for a service. */
  isParked: boolean;
}
