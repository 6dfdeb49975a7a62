import type { Abortable } from "../../base/cancellation.ts";
import { AppError, cancelledError, messageOf } from "../../base/errors.ts";
import { ownValue } from "../../base/values.ts";
import {
  upstreamCloseMsMax,
  upstreamHeartbeatMs,
  upstreamSilentLooksMax,
} from "../../base/upstream-limits.ts";
import { JsonText } from "../../base/weight.ts";
import type { ChannelPort } from "../../base/worker-channel/channel-port.ts";
import type { HeartbeatTimes } from "../../base/worker-channel/worker-channel.ts";
import type { ServerProcesses } from "../process/server-processes.ts";
import type { ServerInfo } from "../server-state.ts";
import { emptySnapshot, unheardSnapshot, type UpstreamSnapshot } from "../snapshot.ts";
import type {
  ControlReplyTo,
  SearchQuery,
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamControl,
  UpstreamEvent,
  UpstreamReply,
  Upstreams,
} from "../upstreams.ts";
import type { UpstreamRequest } from "./messages.ts";
import type { ChangedLists } from "./snapshot-slices.ts";
import {
  KeptSubscriptions,
  mayRepeat,
  optionsAfter,
  RestartPause,
  type RestartTimes,
  SnapshotHold,
  workerRestart,
} from "./restart-state.ts";
import { UpstreamChannel } from "./upstream-channel.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

export interface UpstreamClientParts {
  /** The upstream Worker, or what stands for it; called again when it was lost. */
  readonly openPort: () => ChannelPort;
  readonly options: UpstreamOptions;
  /** Starts servers; called for the first one. */
  readonly processes: () => Promise<ServerProcesses>;
  readonly warn: (message: string) => void;
  /** Called when the Worker was lost, and with each snapshot that it is there. */
  readonly onState?: ((isUp: boolean) => void) | undefined;
  readonly timing?: Partial<HeartbeatTimes & RestartTimes>;
  /** The words for what `openPort` opens. Default: the Worker for MCP servers. */
  readonly portName?: string;
}

/** All upstream servers for the main thread: one Worker, which is replaced when it is lost. */
export class UpstreamClient implements Upstreams {
  readonly #parts: UpstreamClientParts;
  readonly #timing: HeartbeatTimes;
  readonly #restartTimes: RestartTimes;
  readonly #pause: RestartPause;
  readonly #listeners = new Set<(event: UpstreamEvent) => void>();
  readonly #subscriptions = new KeptSubscriptions();
  readonly #hold = new SnapshotHold();
  /** Each checks the newest snapshot. */
  readonly #waiting = new Set<() => void>();
  readonly #portName: string;
  #options: UpstreamOptions;
  #snapshot: UpstreamSnapshot | undefined;
  /** The last revision of the previous Worker, from which revisions continue. */
  #revisionsBefore = 0;
  #channel: UpstreamChannel | undefined;
  /** `over` resolves with the restart, or with the end of all. */
  #restart:
    | {
        readonly timer: ReturnType<typeof setTimeout>;
        readonly dueAt: number;
        readonly over: PromiseWithResolvers<void>;
      }
    | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: UpstreamClientParts) {
    this.#parts = parts;
    this.#options = parts.options;
    const { timing = {} } = parts;
    this.#timing = {
      ...timing,
      lookMs: timing.lookMs ?? upstreamHeartbeatMs,
      silentLooksMax: timing.silentLooksMax ?? upstreamSilentLooksMax,
    };
    this.#restartTimes = { ...workerRestart, ...timing };
    this.#pause = new RestartPause(this.#restartTimes);
    this.#portName = parts.portName ?? "Worker for MCP servers";
  }

  get snapshot(): UpstreamSnapshot | undefined {
    return this.#snapshot;
  }

  async settled(
    ...[waitMs, isEnough = isComplete]: Parameters<Upstreams["settled"]>
  ): Promise<UpstreamSnapshot> {
    this.#start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      const isOver = this.#closing !== undefined;
      if (isOver || (this.#snapshot !== undefined && isEnough(this.#snapshot))) resolve();
    };
    const timer = setTimeout(resolve, waitMs);
    this.#waiting.add(look);
    look();
    await promise;
    this.#waiting.delete(look);
    clearTimeout(timer);
    return this.#snapshot ?? (this.#closing === undefined ? unheardSnapshot : emptySnapshot);
  }

  async call(
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: Abortable,
  ): Promise<UpstreamReply> {
    try {
      const value = await this.#ask({ kind: "call", call }, signal, events);
      if (value instanceof JsonText) return { kind: "result", json: value };
      return ownValue(value);
    } catch (error) {
      if (error instanceof AppError && error.code === "cancelled") throw error;
      const text = `${call.server}: ${messageOf(error)}`;
      return { kind: "failed", text, reason: "worker" };
    }
  }

  async checkArguments(
    server: string,
    tool: string,
    args: unknown,
    signal: Abortable,
  ): Promise<string | undefined> {
    const value = await this.#ask({ kind: "check", server, tool, args }, signal);
    return typeof value === "string" ? value : undefined;
  }

  async search(query: SearchQuery, signal: Abortable): Promise<JsonText> {
    return ownValue(await this.#ask({ kind: "search", query }, signal));
  }

  async control<Asked extends UpstreamControl>(
    control: Asked,
    signal?: Abortable,
  ): Promise<ControlReplyTo<Asked>> {
    this.#options = optionsAfter(control, this.#options);
    return ownValue(await this.#ask({ kind: "control", control }, signal));
  }

  async infoList(): Promise<readonly ServerInfo[]> {
    return ownValue(await this.#ask({ kind: "info" }));
  }

  async subscribe(uri: string, clientId: string): Promise<boolean> {
    const isDone = (await this.#ask({ kind: "subscribe", uri, clientId })) === true;
    if (isDone) this.#subscriptions.add(uri, clientId);
    return isDone;
  }

  unsubscribe(uri: string, clientId: string): void {
    this.#subscriptions.remove(uri, clientId);
    this.#channel?.post({ kind: "unsubscribe", uri, clientId });
  }

  endClient(clientId: string): void {
    this.#subscriptions.removeClient(clientId);
    this.#channel?.post({ kind: "end-client", clientId });
  }

  listen(listener: (event: UpstreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    for (const look of this.#waiting) look();
    return this.#closing;
  }

  /**
   * The reply; after a loss that of a second attempt, where that does no harm.
   * @throws AppError `cancelled` during shutdown; `worker` while the Worker waits for its restart
   */
  async #ask(
    request: UpstreamRequest,
    signal?: Abortable,
    events?: UpstreamCallEvents,
  ): Promise<unknown> {
    const channel = this.#up() ?? (await this.#untilUp(signal));
    try {
      return await channel.ask(request, signal, events);
    } catch (error) {
      const isLost =
        this.#channel !== channel && error instanceof AppError && error.code === "worker";
      if (!isLost || !mayRepeat(request, this.#snapshot)) throw error;
      const next = this.#up() ?? (await this.#untilUp(signal));
      return next.ask(request, signal, events);
    }
  }

  #up(): UpstreamChannel | undefined {
    this.#start();
    return this.#channel;
  }

  /** The replacement, where calls wait for it. @throws AppError when they do not, or nothing comes any more */
  async #untilUp(signal: Abortable | undefined): Promise<UpstreamChannel> {
    for (let channel = this.#channel; ; channel = this.#up()) {
      if (channel !== undefined) return channel;
      if (!this.#restartTimes.callsWait || this.#restart === undefined) throw this.#downError();
      await this.#restart.over.promise;
      if (signal?.aborted === true) throw cancelledError();
    }
  }

  #downError(): AppError {
    if (this.#closing !== undefined) {
      return new AppError("cancelled", "The server is shutting down.");
    }
    const waitMs = (this.#restart?.dueAt ?? 0) - performance.now();
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const text = `The ${this.#portName} was lost several times. It restarts in ${seconds} s; try again then.`;
    return new AppError("worker", text);
  }

  #start(): void {
    if (this.#channel !== undefined || this.#restart !== undefined || this.#closing !== undefined) {
      return;
    }
    const { openPort, processes, warn } = this.#parts;
    this.#pause.onStart();
    this.#channel = new UpstreamChannel({
      port: openPort(),
      options: this.#options,
      timing: this.#timing,
      portName: this.#portName,
      processes,
      events: {
        onGone: (reason) => this.#onGone(reason),
        onSnapshot: (snapshot, changed) => this.#onSnapshot(snapshot, changed),
        onEvent: (event) => this.#tell(event),
        warn,
      },
    });
    for (const [uri, clientId] of this.#subscriptions) {
      this.#channel.ask({ kind: "subscribe", uri, clientId }).catch(() => {});
    }
  }

  /** Keeps the last snapshot, so that the lists of clients do not flap. */
  #onGone(reason: string): void {
    this.#channel = undefined;
    this.#revisionsBefore = this.#snapshot?.revision ?? 0;
    this.#hold.begin(this.#snapshot);
    const text = `The ${this.#portName} was lost and is being replaced: ${reason}.`;
    this.#parts.warn(text);
    this.#parts.onState?.(false);
    const pauseMs = this.#pause.onLoss();
    if (pauseMs === 0) return this.#start();
    const over = Promise.withResolvers<void>();
    const start = (): void => {
      this.#restart = undefined;
      this.#start();
      over.resolve();
    };
    const timer = setTimeout(start, pauseMs);
    timer.unref();
    this.#restart = { timer, dueAt: performance.now() + pauseMs, over };
  }

  /** Takes a snapshot, which may be incomplete again after an added server. */
  #onSnapshot(snapshot: UpstreamSnapshot, changedNow: ChangedLists): void {
    this.#parts.onState?.(true);
    const changed = this.#hold.take(snapshot, changedNow);
    if (changed === undefined) return;
    this.#snapshot = { ...snapshot, revision: this.#revisionsBefore + snapshot.revision };
    for (const look of this.#waiting) look();
    if (changed.length > 0) this.#tell({ kind: "snapshot", changed });
  }

  #tell(event: UpstreamEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#parts.warn(`internal error: ${messageOf(error)}`);
      }
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#restart?.timer);
    this.#restart?.over.resolve();
    this.#restart = undefined;
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.close(upstreamCloseMsMax);
  }
}

function isComplete({ isIncomplete }: UpstreamSnapshot): boolean {
  return !isIncomplete;
}
