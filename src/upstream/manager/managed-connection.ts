import { type Timer, orAborted } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import {
  upstreamBackoffWaitMs,
  upstreamPingEveryMs,
  upstreamPingMissesMax,
  upstreamPingMsMax,
} from "../../base/upstream-limits.ts";
import {
  type ConnectionEvents,
  type UpstreamConnection,
  ConnectionError,
} from "../connect/connection.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import { type ConnectionFailure, ConnectionMachine } from "./connection-machine.ts";
import {
  ConnectionDown,
  downAs,
  connectionFailureOf,
  type ConnectionParts,
  ConnectionPreparation,
  type OpenedConnection,
  type ConnectionTime,
} from "./connection-parts.ts";
import type { ConnectionState } from "../server-state.ts";

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
  /** The right to run its process. */
  #hold: Disposable | undefined;
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

  /** The open connection that carries calls; present while it is ready. */
  get live(): UpstreamConnection | undefined {
    return this.#opened?.connection;
  }

  /** The server was contacted, with or without success. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Only one hub may run its server: this one does, or waits for another. */
  get isExclusive(): boolean {
    const { state } = this;
    return this.#hold !== undefined || (state.kind === "down" && state.isHeld === true);
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
   * @throws ConnectionDown; AppError `cancelled`
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
    return orAborted(
      Promise.race([wait.promise, this.preparation.orTooLong(wait.promise)]),
      signal,
    );
  }

  /** Marks a call: the connection is in use, and may be too busy to answer pings. The returned function ends it. */
  use(): () => void {
    return this.#health.use();
  }

  /** Forgets earlier failures. */
  reset(): void {
    this.#machine.reset();
  }

  /** Stops it for good. Resolves when everything has ended. */
  async stop(): Promise<void> {
    this.#machine.onStop();
    this.#drop(new ConnectionDown("it was stopped", "stopped", undefined));
    this.#parts.onState();
    await this.#untilEnded();
    this.#letGo();
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
    if (this.#hold === undefined) {
      const hold = this.#parts.hold?.();
      if (hold?.kind === "refused") return this.#onHeld(hold.reason);
      if (hold?.kind === "granted") this.#hold = hold.right;
    }
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

  /** Starts it as soon as a later look shows that no other hub runs it. */
  #onHeld(reason: string): void {
    const before = this.state;
    this.#machine.onHeld(this.#parts.time.now(), reason);
    this.#waiting?.reject(new ConnectionDown(reason, downAs(this.state), this.retryInMs));
    this.#waiting = undefined;
    if (before.kind !== "down" || before.reason !== reason) this.#parts.onState();
    this.#startIn(this.retryInMs ?? 0);
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
    if (this.#hold !== undefined) void this.#untilEnded().then(() => this.#letGo());
  }

  async #untilEnded(): Promise<void> {
    // Ending one thing may begin the end of another.
    for (let seen; seen !== this.#ending;) {
      seen = this.#ending;
      await seen;
    }
  }

  /** Lets other hubs run the server, unless the next start is already under way here. */
  #letGo(): void {
    if (this.#starting !== undefined) return;
    this.#hold?.[Symbol.dispose]();
    this.#hold = undefined;
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

interface ConnectionHealthParts {
  readonly time: ConnectionTime;
  /** 0 = never. */
  readonly idleStopMs: number;
  /** Called after several unanswered pings. */
  readonly onMissing: () => void;
  /** Called after a long time without a call. */
  readonly onIdle: () => void;
}

/**
 * Pings a server periodically (CN13), and notices when it is idle. A server that works on a call may be too busy to
 * answer, so only pings between calls are judged; a call has its own limits.
 */
class ConnectionHealth {
  readonly #parts: ConnectionHealthParts;
  #pingTimer: Timer | undefined;
  #idleTimer: Timer | undefined;
  #controller: AbortController | undefined;
  #misses = 0;
  #users = 0;

  constructor(parts: ConnectionHealthParts) {
    this.#parts = parts;
  }

  start(connection: UpstreamConnection): void {
    this.stop();
    this.#misses = 0;
    this.#controller = new AbortController();
    this.#planPing(connection, this.#controller.signal);
    this.#planIdle();
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = undefined;
    this.#pingTimer?.stop();
    this.#idleTimer?.stop();
  }

  /** Marks the begin of a call. Returns a function that marks its end; idempotent. */
  use(): () => void {
    this.#users++;
    this.#idleTimer?.stop();
    let isUsed = true;
    return () => {
      if (isUsed) this.#users--;
      isUsed = false;
      if (this.#users === 0) this.#planIdle();
    };
  }

  #planIdle(): void {
    this.#idleTimer?.stop();
    const { idleStopMs, onIdle, time } = this.#parts;
    if (idleStopMs === 0 || this.#controller === undefined || this.#users > 0) return;
    this.#idleTimer = time.after(idleStopMs, onIdle);
  }

  #planPing(connection: UpstreamConnection, signal: AbortSignal): void {
    const ping = (): void => void this.#ping(connection, signal);
    this.#pingTimer = this.#parts.time.after(upstreamPingEveryMs, ping);
  }

  async #ping(connection: UpstreamConnection, signal: AbortSignal): Promise<void> {
    try {
      await connection.ping(AbortSignal.any([signal, AbortSignal.timeout(upstreamPingMsMax)]));
      this.#misses = 0;
    } catch (error) {
      if (signal.aborted) return;
      // A refusal is also an answer.
      const isAnswer = error instanceof ConnectionError && answers.has(error.failure);
      if (isAnswer || this.#users > 0) this.#misses = 0;
      else this.#misses++;
      if (this.#misses >= upstreamPingMissesMax) return this.#parts.onMissing();
    }
    if (!signal.aborted) this.#planPing(connection, signal);
  }
}

const answers: ReadonlySet<ConnectionError["failure"]> = new Set(["needs_auth", "refused", "busy"]);
