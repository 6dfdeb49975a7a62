import { startTimer, type Timer } from "../../base/cancellation.ts";
import type { Turns } from "../../base/turns.ts";
import { upstreamInstallAgainMs, upstreamInstallWaitMs } from "../../base/upstream-limits.ts";
import type { ConnectionEvents, UpstreamConnection } from "../connect/connection.ts";
import type { Prepared } from "../install/installer.ts";
import { installingText } from "../install/installing-text.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import type { Installing } from "../server-state.ts";
import { ConnectionDown } from "./connection-down.ts";
import type { ConnectionMachine } from "./connection-machine.ts";
import type { RecentFailures } from "./recent-failures.ts";

/** A connection and what has to be ended with it. */
export interface OpenedConnection extends AsyncDisposable {
  readonly connection: UpstreamConnection;
  /** Ends it and its process. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
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

/** What a start needs before there can be a process, and what is told of it meanwhile. */
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

  /** How it was started last, where that is not what its entry says. */
  get startedAs(): string | undefined {
    return this.#startedAs;
  }

  /** Takes as long as it takes. @throws as `ConnectionParts.prepare` does */
  async run(signal: AbortSignal): Promise<Prepared | undefined> {
    const prepared = await this.#parts.prepare?.(signal, (installing) => {
      if (!signal.aborted) this.#note(installing);
    });
    if (!signal.aborted) this.#note(undefined);
    this.#startedAs = prepared?.startedAs;
    return prepared;
  }

  /**
   * For whoever waits for a connection: a package may take minutes.
   * @throws LinkDown when it is still being fetched after some seconds; else it never settles
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

/** The clock by which connections are tried again, looked at and given up when nobody uses them. */
export interface ConnectionTime {
  /** Milliseconds, on a clock that never goes back. */
  now(): number;
  /** Calls `act` once after so many milliseconds. */
  after(ms: number, act: () => void): Timer;
}

export const realTime: ConnectionTime = { now: () => performance.now(), after: startTimer };
