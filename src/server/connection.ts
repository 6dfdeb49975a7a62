import type { LegacyVersion } from "../protocol/versions.ts";
import { ClientRequests } from "./client-requests.ts";
import { InFlight } from "./in-flight.ts";
import type { Outbox } from "./outbox.ts";
import type { ServerContext } from "./server-context.ts";
import { Session, type ClientProfile } from "./session.ts";

/**
 * What belongs to one connection and ends with it: the pipe, a legacy HTTP session, or, for a modern HTTP
 * request, that request alone.
 */
export interface Connection {
  readonly server: ServerContext;
  /** For what belongs to no request. */
  readonly outbox: Outbox;
  readonly session: Session;
  readonly clientRequests: ClientRequests;
  readonly inFlight: InFlight;
  /** How to say that a subscription is over while the connection goes on (modern.md section 7, teardown). */
  readonly endsByNotification: boolean;
  /** What counts as negotiated without a session: 2025-03-26 over HTTP (legacy.md section 1). */
  readonly assumedVersion?: LegacyVersion;
}

export function createConnection(
  server: ServerContext,
  profile: ClientProfile,
  outbox: Outbox,
): Connection {
  const clientRequests = new ClientRequests();
  const session = new Session(profile, clientRequests);
  const inFlight = new InFlight();
  return { server, outbox, session, clientRequests, inFlight, endsByNotification: true };
}
