import { ClientRequests } from "./client-requests.ts";
import { InFlight } from "./in-flight.ts";
import type { Outbox } from "./outbox.ts";
import type { ServerContext } from "./server-context.ts";
import { Session, type ClientProfile } from "./session.ts";

/** What belongs to one connection; ends with it. */
export interface Connection {
  readonly server: ServerContext;
  readonly outbox: Outbox;
  readonly session: Session;
  readonly clientRequests: ClientRequests;
  readonly inFlight: InFlight;
}

export function createConnection(
  server: ServerContext,
  profile: ClientProfile,
  outbox: Outbox,
): Connection {
  const clientRequests = new ClientRequests(outbox);
  const session = new Session(profile, clientRequests);
  return { server, outbox, session, clientRequests, inFlight: new InFlight() };
}
