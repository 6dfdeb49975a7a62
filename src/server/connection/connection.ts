import type { LegacyVersion } from "../../protocol/message.ts";
import type { InFlight } from "./active-request.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { Outbox } from "./replies.ts";
import type { Caller } from "./elsewhere.ts";
import type { Session } from "./session.ts";

/**
 * The state that belongs to one connection and ends with it: the pipe, a legacy HTTP session, or, for a modern HTTP
 * request, that request alone.
 */
export interface Connection {
  /** For what belongs to no request. */
  readonly outbox: Outbox;
  readonly session: Session;
  readonly clientRequests: ClientRequests;
  readonly inFlight: InFlight;
  /** How to say that a subscription is over while the connection goes on (docs/spec/modern.md#teardown). */
  readonly endsByNotification: boolean;
  /** The revision that is assumed without a session: 2025-03-26 over HTTP (docs/spec/legacy.md#which-era). */
  readonly assumedVersion?: LegacyVersion;
  /** Absent where all requests are answered by this process: a pipe, or a message without a session. */
  readonly caller?: () => Caller;
  /** In a fleet: whether changes are this replica's to report, since the stream of the session is here. */
  readonly holdsStream?: () => boolean;
}
