import { startTimer, type Timer } from "../../base/cancellation.ts";
import { messageOf } from "../../base/errors.ts";
import type { Turns } from "../../base/turns.ts";
import { upstreamInstallAgainMs, upstreamInstallWaitMs } from "../../base/upstream-limits.ts";
import {
  type ConnectionEvents,
  type Era,
  type ServerAuth,
  type UpstreamConnection,
  ConnectionError,
} from "../connect/connection.ts";
import type { Prepared } from "../install/installer.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import { type ConnectionState, type Installing, installingText } from "../server-state.ts";
import type { ConnectionFailure, ConnectionMachine } from "./connection-machine.ts";
import type { RecentFailures } from "./restart-limits.ts";

/** A connection, with the end of its process. */
export interface OpenedConnection extends AsyncDisposable {
  readonly connection: UpstreamConnection;
  /** Ends it and its process. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Events of opening a connection: the processes that it starts, and those that are still ending afterwards. */
export interface OpeningEvents {
  readonly onProcess: (process: UpstreamProcess) => void;
  /** Its process runs, or its address was contacted. */
  readonly onBegun: () => void;
  readonly onEnding: (ended: Promise<void>) => void;
}

/** The owner of a new connection, and its prepared launch. */
export interface LentStart {
  readonly owner?: string | undefined;
  readonly prepared?: Prepared | undefined;
  /** The start of a present user of the connection. Absent: the one that opens it. */
  readonly now?: () => Pick<ConnectionStarter, "authOf">;
}

/** The right to run a server that only one hub may run. */
export type Hold =
  | { readonly kind: "not_needed" }
  | { readonly kind: "granted"; readonly right: Disposable }
  /** Not now: the reason as the end of a sentence. */
  | { readonly kind: "refused"; readonly reason: string };

/** Starts a connection for one of its users. */
export interface ConnectionStarter {
  /** The login for a connection. @param owner the principal that it belongs to */
  authOf(owner: string | undefined): ServerAuth | undefined;
  /** @see ConnectionParts.hold */
  hold(): Hold;
  /** @see ConnectionParts.prepare */
  prepare(
    signal: AbortSignal,
    tell: (installing: Installing) => void,
    owner?: string,
  ): Promise<Prepared | undefined>;
  /** @throws ConnectionError, AppError */
  open(
    knownEra: Era | undefined,
    events: ConnectionEvents,
    signal: AbortSignal,
    opening: OpeningEvents,
    lent?: LentStart,
  ): Promise<OpenedConnection>;
}

export interface ConnectionParts {
  /** Called before a start; disposed of when the process and everything that it has started are gone. Must not throw. */
  readonly hold?: () => Hold;
  /**
   * Fetches the server's package where it is missing, and returns the launch for `open`.
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
  /** Limits the starts that run at the same time. */
  readonly turns: Turns;
  readonly time: ConnectionTime;
  readonly random?: () => number;
  /** Failures of this server on all connections. */
  readonly failures: RecentFailures;
  /** False: after a failure only a call starts it again. */
  readonly restarts: boolean;
  /** Closes the connection after this time without a call; 0 = never. */
  readonly idleStopMs: number;
  readonly events: Omit<ConnectionEvents, "onClosed">;
  /** Called for each start once the server can be reached: its process runs, or its address was contacted. */
  readonly onBegun: () => void;
  /** Called after each change of `state`. */
  readonly onState: () => void;
  /** Called with each new connection. */
  readonly onConnected: (connection: UpstreamConnection) => void;
}

/** Prepares a start before its process exists, and reports the installation in the state. */
export class ConnectionPreparation {
  readonly #parts: Pick<ConnectionParts, "prepare" | "time" | "onState">;
  readonly #machine: ConnectionMachine;
  #startedAs: string | undefined;

  constructor(
    parts: Pick<ConnectionParts, "prepare" | "time" | "onState">,
    machine: ConnectionMachine,
  ) {
    this.#parts = parts;
    this.#machine = machine;
  }

  /** The command line of its last start, where it differs from the entry's. */
  get startedAs(): string | undefined {
    return this.#startedAs;
  }

  /** Has no time limit. @throws as `ConnectionParts.prepare` does */
  async run(signal: AbortSignal): Promise<Prepared | undefined> {
    const prepared = await this.#parts.prepare?.(signal, (installing) => {
      if (!signal.aborted) this.#note(installing);
    });
    if (!signal.aborted) this.#note(undefined);
    this.#startedAs = prepared?.startedAs;
    return prepared;
  }

  /**
   * Ends the wait for a connection whose package may take minutes. @throws ConnectionDown when the package is still being
   * fetched after some seconds; otherwise never settles
   */
  async orTooLong(connected: Promise<unknown>): Promise<never> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.time.after(upstreamInstallWaitMs, resolve);
    await Promise.race([promise, connected]).finally(() => timer.stop());
    const { state } = this.#machine;
    if (state.kind === "starting" && state.installing !== undefined) {
      throw new ConnectionDown(
        installingText(state.installing),
        "installing",
        upstreamInstallAgainMs,
      );
    }
    return new Promise(() => {});
  }

  #note(installing: Installing | undefined): void {
    const { state } = this.#machine;
    if (state.kind !== "starting" || state.installing === installing) return;
    this.#machine.onInstalling(installing);
    this.#parts.onState();
  }
}

/** The clock for retries, pings and idle stops of connections. */
export interface ConnectionTime {
  /** Milliseconds, on a clock that never goes back. */
  now(): number;
  /** Calls `act` once after so many milliseconds. */
  after(ms: number, act: () => void): Timer;
}

export const realTime: ConnectionTime = { now: () => performance.now(), after: startTimer };

/** There is no connection; the message ends a sentence. */
export class ConnectionDown extends Error {
  override readonly name = "ConnectionDown";

  constructor(
    message: string,
    readonly as: "backoff" | "failed" | "needs_auth" | "installing" | "stopped",
    readonly retryInMs: number | undefined,
  ) {
    super(message);
  }
}

/** The state of a missing connection. */
export function downAs(state: ConnectionState): ConnectionDown["as"] {
  return state.kind === "down" ? state.as : "stopped";
}

/** Classifies the failure of a start. */
export function connectionFailureOf(error: unknown): ConnectionFailure {
  const reason = messageOf(error);
  if (!(error instanceof ConnectionError)) return { kind: "passing", reason };
  if (error.failure === "needs_auth") return { kind: "needs_auth", reason };
  if (error.failure === "refused") return { kind: "final", reason };
  const { retryAfterMs } = error;
  return { kind: "passing", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
