import type { Turns } from "../../base/turns.ts";
import type { ConnectionEvents, UpstreamConnection } from "../connect/connection.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import type { LinkTime } from "./link-time.ts";
import type { RecentFailures } from "./recent-failures.ts";

/** A connection and what has to be ended with it. */
export interface OpenedLink {
  readonly connection: UpstreamConnection;
  /** Ends it and its process. Never rejects. */
  end(): Promise<void>;
}

/** Told what is started for a connection, and what goes on ending of that when it is there, or has failed. */
export interface OpeningEvents {
  readonly onProcess: (process: UpstreamProcess) => void;
  /** Its process runs, or its address is being asked. */
  readonly onBegun: () => void;
  readonly onEnding: (ended: Promise<void>) => void;
}

export interface LinkParts {
  /** @throws ConnectionError, AppError */
  readonly open: (
    events: ConnectionEvents,
    signal: AbortSignal,
    opening: OpeningEvents,
  ) => Promise<OpenedLink>;
  /** Only so many start at a time. */
  readonly turns: Turns;
  readonly time: LinkTime;
  readonly random?: () => number;
  /** Of this server, on other connections too. */
  readonly failures: RecentFailures;
  /** False: after a failure only a call starts it again. */
  readonly restarts: boolean;
  /** After so long without a call it is closed; 0 = never. */
  readonly idleStopMs: number;
  readonly events: Omit<ConnectionEvents, "onClosed">;
  /** Told of each start once the server can be spoken to: its process runs, or its address is being asked. */
  readonly onBegun: () => void;
  /** Told after each change of `state`. */
  readonly onState: () => void;
  /** Told with each new connection. */
  readonly onConnected: (connection: UpstreamConnection) => void;
}
