import type { Timer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { upstreamBackoffWaitMs } from "../../base/upstream-limits.ts";
import type { ConnectionEvents, UpstreamConnection } from "../connect/connection.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import { ConnectionDown, downAs, connectionFailureOf, orCancelled } from "./connection-down.ts";
import { ConnectionHealth } from "./connection-health.ts";
import {
  type ConnectionFailure,
  ConnectionMachine,
  type ConnectionState,
} from "./connection-machine.ts";
import {
  type ConnectionParts,
  ConnectionPreparation,
  type OpenedConnection,
} from "./connection-parts.ts";

/** One connection to one server: started when it is wanted, restarted when it was lost. */
export class ManagedConnection {
  readonly #parts: ConnectionParts;
  readonly #machine: ConnectionMachine;
  readonly #health: ConnectionHealth;
  readonly preparation: ConnectionPreparation;
  #opened: OpenedConnection | undefined;
  /** Settles for all callers that wait for the running or planned start. */
  #waiting: PromiseWithResolvers<UpstreamConnection> | undefined;
  #retryTimer: Timer | undefined;
  #starting: AbortController | undefined;
  /** The running start, until it has ended completely. */
  #running: Promise<void> = Promise.resolve();
  /** Resolves when everything that is being stopped has ended. */
  #ending: Promise<void> = Promise.resolve();
  #starts = 0;
  #process: UpstreamProcess | undefined;
  #isBegun = false;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#machine = new ConnectionMachine(parts.restarts, parts.random, parts.failures);
    this.preparation = new ConnectionPreparation(parts, this.#machine);
    this.#health = new ConnectionHealth({
      time: parts.time,
      idleStopMs: parts.idleStopMs,
      onMissing: () => this.#lose("it stopped answering and is being restarted"),
      onIdle: () => this.#rest(),
    });
  }

  get state(): ConnectionState {
    return this.#machine.state;
  }

  get connection(): UpstreamConnection | undefined {
    return this.#opened?.connection;
  }

  /** The connection, when there is no need to wait for it. */
  get ready(): UpstreamConnection | undefined {
    return this.state.kind === "ready" ? this.connection : undefined;
  }

  /** The server was contacted, with or without success. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  get starts(): number {
    return this.#starts;
  }

  /** The last lines on stderr of the latest process. */
  stderr(): readonly string[] {
    return this.#process?.stderrTail() ?? [];
  }

  /** Milliseconds until the next attempt; undefined when none is planned. */
  get retryInMs(): number | undefined {
    const { state } = this;
    if (state.kind !== "down" || state.retryAt === undefined) return undefined;
    return Math.max(0, state.retryAt - this.#parts.time.now());
  }

  /** Starts it when it is not running. Failures appear in `state` only. */
  want(): void {
    const advice = this.#machine.advise(this.#parts.time.now());
    if (advice.do !== "start") return;
    this.#waiting ??= this.#newWait();
    this.#startIn(advice.inMs);
  }

  /**
   * The connection, started when needed.
   * @throws LinkDown; AppError `cancelled`
   */
  async connected(signal: AbortSignal): Promise<UpstreamConnection> {
    if (signal.aborted) throw new AppError("cancelled", "The call was cancelled.");
    const advice = this.#machine.advise(this.#parts.time.now());
    if (advice.do === "use" && this.#opened !== undefined) return this.#opened.connection;
    if (advice.do === "refuse") {
      throw new ConnectionDown(advice.reason, downAs(this.state), advice.retryInMs);
    }
    if (advice.do === "start" && advice.inMs > upstreamBackoffWaitMs) {
      throw new ConnectionDown(this.#parts.failures.reason, "backoff", advice.inMs);
    }
    const wait = (this.#waiting ??= this.#newWait());
    if (advice.do === "start") this.#startIn(advice.inMs);
    return orCancelled(
      Promise.race([wait.promise, this.preparation.orTooLong(wait.promise)]),
      signal,
    );
  }

  /** Marks a call: the connection is in use, and may be too busy to answer pings. The returned function ends it. */
  use(): () => void {
    return this.#health.use();
  }

  /** Forgets earlier failures; a stopped connection may start again. */
  reset(): void {
    this.#machine.reset();
  }

  /** Stops it until `reset`. Resolves when everything has ended. */
  async stop(): Promise<void> {
    this.#machine.onStop();
    this.#drop(new ConnectionDown("it was stopped", "stopped", undefined));
    this.#parts.onState();
    // Ending one thing may begin the end of another.
    for (let seen; seen !== this.#ending;) {
      seen = this.#ending;
      await seen;
    }
  }

  /** Stops an idle connection; the next caller starts it. */
  #rest(): void {
    this.#machine.onIdle();
    this.#drop(new ConnectionDown("it was stopped", "stopped", undefined));
    this.#parts.onState();
  }

  #startIn(ms: number): void {
    this.#retryTimer?.stop();
    this.#retryTimer = undefined;
    const start = (): void => {
      this.#running = this.#start();
    };
    if (ms > 0) this.#retryTimer = this.#parts.time.after(ms, start);
    else start();
  }

  async #start(): Promise<void> {
    const kind = this.#machine.state.kind;
    if (kind === "starting" || kind === "ready" || kind === "stopped") return;
    const waitMs = this.#machine.startWaitMs(this.#parts.time.now());
    if (waitMs > 0) return this.#startIn(waitMs);
    this.#machine.onStart(this.#parts.time.now());
    this.#starts++;
    this.#parts.onState();
    const starting = new AbortController();
    this.#starting = starting;
    let isAnother = false;
    try {
      // The previous process may still hold a port or a file.
      await this.#ending;
      const prepared = await this.preparation.run(starting.signal);
      using _turn = await this.#parts.turns.take(starting.signal);
      const opened = await this.#parts.open(
        this.#eventsFor(starting),
        starting.signal,
        {
          onProcess: (process) => {
            if (isAnother) this.#machine.onNextProcess(this.#parts.time.now());
            isAnother = true;
            this.#process = process;
          },
          onBegun: () => {
            this.#isBegun = true;
            this.#parts.onBegun();
          },
          onEnding: (ended) => this.#await(ended),
        },
        prepared,
      );
      if (starting.signal.aborted) return await opened[Symbol.asyncDispose]();
      this.#onOpened(opened);
    } catch (error) {
      if (!starting.signal.aborted) this.#onFailure(connectionFailureOf(error));
    }
  }

  #onOpened(opened: OpenedConnection): void {
    this.#opened = opened;
    this.#machine.onConnected(this.#parts.time.now());
    this.#health.start(opened.connection);
    this.#parts.onState();
    this.#parts.onConnected(opened.connection);
    this.#waiting?.resolve(opened.connection);
    this.#waiting = undefined;
  }

  /** Events of the connection that `start` opened; those of an abandoned connection are ignored. */
  #eventsFor(start: AbortController): ConnectionEvents {
    return {
      ...this.#parts.events,
      onClosed: (reason) => {
        if (this.#starting === start && this.#opened !== undefined) this.#lose(reason);
      },
    };
  }

  #lose(reason: string): void {
    this.#onFailure({ kind: "passing", reason });
  }

  #onFailure(failure: ConnectionFailure): void {
    this.#machine.onFailure(this.#parts.time.now(), failure);
    this.#drop(new ConnectionDown(failure.reason, downAs(this.state), this.retryInMs));
    this.#parts.onState();
    const retryInMs = this.retryInMs;
    if (retryInMs !== undefined) this.#startIn(retryInMs);
  }

  /** Ends the current connection and rejects its waiting callers. */
  #drop(reason: ConnectionDown): void {
    this.#retryTimer?.stop();
    this.#retryTimer = undefined;
    this.#health.stop();
    this.#starting?.abort();
    this.#starting = undefined;
    this.#await(this.#running);
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) this.#await(opened[Symbol.asyncDispose]());
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  #await(ended: Promise<void>): void {
    this.#ending = Promise.all([this.#ending, ended]).then(() => {});
  }

  #newWait(): PromiseWithResolvers<UpstreamConnection> {
    const wait = Promise.withResolvers<UpstreamConnection>();
    wait.promise.catch(() => {}); // After `want`, nothing handles a failure.
    return wait;
  }
}
