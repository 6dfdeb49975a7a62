import type { Turns } from "../../base/turns.ts";
import type { ConnectionEvents, UpstreamConnection } from "../connect/connection.ts";
import type { Prepared } from "../install/installer.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import type { Installing } from "../server-state.ts";
import type { ConnectionTime } from "./connection-time.ts";
import type { RecentFailures } from "./recent-failures.ts";

/** A connection and what has to be ended with it. */
export interface OpenedConnection {
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

/** Whose connection is opened, and with what. */
export interface LentStart {
  readonly owner?: string | undefined;
  readonly prepared?: Prepared | undefined;
}

export interface ConnectionParts {
  /**
   * Fetches what the server is started from, where that is not here: what `open` is given.
   * @throws ConnectionError, AppError
   */
  readonly prepare?: (
    signal: AbortSignal,
    tell: (installing: Installing) => void,
  ) => Promise<Prepared | undefined>;
  /** @throws ConnectionError, AppError */
  readonly open: (
    events: ConnectionEvents,
    signal: AbortSignal,
    opening: OpeningEvents,
    prepared?: Prepared,
  ) => Promise<OpenedConnection>;
  /** Only so many start at a time. */
  readonly turns: Turns;
  readonly time: ConnectionTime;
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
