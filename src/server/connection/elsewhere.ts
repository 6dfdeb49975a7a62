import type { Principal } from "../auth/principal.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { MethodReply } from "./replies.ts";

/** Whose requests come by a connection over HTTP. */
export interface Caller {
  readonly principal: Principal;
  /** Absent: the requests are of the revision that has no sessions. */
  readonly sessionId?: string;
}

/** Another replica of the fleet, for requests that have a place there. */
export interface Elsewhere {
  /**
   * Answers the request from where its place is; calls `here` when that is this process. Undefined, at once, for a request
   * that may run anywhere.
   */
  handle(
    request: ActiveRequest,
    caller: Caller,
    here: () => MethodReply | Promise<MethodReply>,
  ): Promise<MethodReply> | undefined;
}
