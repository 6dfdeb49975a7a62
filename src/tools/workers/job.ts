import type { InputRequests } from "../../protocol/input-request.ts";
import type { ProtocolFault } from "../../protocol/json-rpc.ts";
import type { JobDone, JobMessage, ServiceCall, ServiceReply } from "./messages.ts";

/** Why a Worker is ended. */
export interface Ending {
  /** For people. */
  readonly reason: string;
  /** The job that is to blame; 0 when that cannot be told. One that is over already leaves nobody. */
  readonly culpritId: number;
}

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
