import type { ServedConnection } from "../context/server-context.ts";
import { ClientRequests } from "../connection/client-requests.ts";
import { Dispatcher } from "../dispatcher.ts";
import { InFlight } from "../connection/in-flight.ts";
import type { ReplyLane } from "../connection/lane.ts";
import type { ServerContext } from "../context/server-context.ts";
import { Session } from "../connection/session.ts";

const nobody = {
  id: "nobody",
  limitsFor: () => ({ answerMs: 0, resultCharsMax: 0 }),
  fallbackDir: "/",
};

/** The connection for a legacy message without a session: it lasts as long as that message. */
export class SessionlessConnection {
  readonly dispatcher: Dispatcher;

  constructor(server: ServerContext, lane: ReplyLane) {
    const clientRequests = new ClientRequests();
    const connection: ServedConnection = {
      server,
      outbox: lane,
      session: new Session(nobody, clientRequests),
      clientRequests,
      inFlight: new InFlight(),
      endsByNotification: false,
      assumedVersion: "2025-03-26",
    };
    this.dispatcher = new Dispatcher(connection);
  }
}
