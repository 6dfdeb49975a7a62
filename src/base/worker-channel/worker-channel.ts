import { type Abortable, SharedDeadline, IdTable } from "../cancellation.ts";
import { AppError, cancelledError } from "../errors.ts";
import type { ChannelPort } from "./channel-port.ts";
import {
  encodeToWorker,
  decodeFromWorker,
  type FromWorker,
  type ToWorker,
} from "./channel-messages.ts";

/** How often a Worker is asked whether it lives. */
export interface HeartbeatTimes {
  readonly lookMs: number;
  /** As `lookMs`, while it owes no reply; absent: `lookMs`. */
  readonly restLookMs?: number;
  /** Looks in a row that found it silent, before it is given up. Looks, not time: a machine that sleeps misses none. */
  readonly silentLooksMax: number;
}

/** Silent looks after which a stopped process is given up. */
const stoppedLooksMax = 1;

/** Why a Worker is gone that has not answered. */
export const hungReason = "it hung";

interface ChannelEvents<Post> {
  /** The Worker threw, exited or hung. Called once, and not after `close`. */
  onGone(reason: string): void;
  /** A call has ended, however it ended. */
  onSettled?(): void;
  onPost?(post: Post): void;
  /** An error in the Worker outside of any call. */
  onMishap?(reason: string): void;
}

export interface ChannelParts<Options, Context, Post> {
  readonly port: ChannelPort;
  readonly options: Options;
  readonly events: ChannelEvents<Post>;
  /** Absent: a Worker that hangs is found by the deadline of its calls. */
  readonly heartbeat?: HeartbeatTimes & {
    /** False: a Worker that owes no reply is not asked. */
    readonly isSteady: boolean;
  };
  readonly deadline?: {
    readonly msMax: number;
    /** The message of a late call's error; absent: the Worker is given up. */
    readonly lateText?: (context: Context) => string;
  };
  /** The message of the error that calls fail with when the Worker is lost. */
  readonly lostText: (reason: string, context: Context) => string;
}

interface WaitingCall<Context> {
  readonly context: Context;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: AppError) => void;
  readonly release: () => void;
}

/**
 * One Worker as the main thread sees it: calls and their replies, cancellation, posts both ways, whether it lives, its end.
 * `worker-side.ts` is the other end. `Context` is the data that the main thread keeps with a call.
 */
export class WorkerChannel<Options, Call, Context, ToPost = never, FromPost = never> {
  readonly #parts: ChannelParts<Options, Context, FromPost>;
  readonly #calls = new IdTable<WaitingCall<Context>>();
  readonly #deadline: SharedDeadline | undefined;
  readonly #isClosed = Promise.withResolvers<void>();
  #look: { readonly timer: ReturnType<typeof setTimeout>; readonly dueAt: number } | undefined;
  #silentLooks = 0;
  #isGone = false;

  constructor(parts: ChannelParts<Options, Context, FromPost>) {
    this.#parts = parts;
    const { port, options, deadline, heartbeat } = parts;
    this.#deadline = deadline === undefined ? undefined : new SharedDeadline(deadline.msMax);
    port.listen(
      (text) => this.#receive(text),
      (reason) => this.#die(reason),
    );
    this.#send({ kind: "open", options });
    if (heartbeat?.isSteady === true) this.#lookLater();
  }

  /** Calls that wait for a reply. */
  get size(): number {
    return this.#calls.size;
  }

  /** The context of a call that waits. */
  contextOf(id: number): Context | undefined {
    return this.#calls.get(id)?.context;
  }

  /**
   * The value of the reply.
   * @throws AppError as the Worker says; `cancelled` at once when `signal` aborts; `worker` when the Worker is lost or late
   */
  call(call: Call, context: Context, signal?: Abortable): Promise<unknown> {
    if (signal?.aborted === true) return Promise.reject(cancelledError());
    if (this.#isGone) return Promise.reject(this.#lostError("it has ended", context));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const abort = (): void => this.#cancel(id, cancelledError());
    const wait = this.#deadline?.begin(() => this.#onLate(id));
    const release = (): void => {
      if (wait !== undefined) this.#deadline?.end(wait);
      signal?.removeEventListener("abort", abort);
    };
    const id = this.#calls.add({ context, resolve, reject, release });
    signal?.addEventListener("abort", abort, { once: true });
    this.#send({ kind: "call", id, call });
    if (this.#calls.size === 1) this.#lookSooner();
    return promise;
  }

  /** Nothing happens when the Worker is gone. */
  post(post: ToPost): void {
    this.#send({ kind: "post", post });
  }

  /** Calls that wait fail with `error`; the Worker learns of it when it is closed. */
  failAll(error: AppError): void {
    for (const [id] of this.#calls.entries()) this.#settle(id, ({ reject }) => reject(error));
  }

  /** Ends the Worker after everything that it has started, in `msMax` at most. */
  async close(msMax: number): Promise<void> {
    if (this.#isGone) return;
    this.#send({ kind: "close" });
    const timer = setTimeout(this.#isClosed.resolve, msMax);
    await this.#isClosed.promise;
    clearTimeout(timer);
    this.#end("the server is shutting down");
  }

  #receive(text: string): void {
    this.#silentLooks = 0;
    if (this.#isGone) return;
    for (const message of decodeFromWorker<FromPost>(text)) this.#take(message);
  }

  #take(message: FromWorker<FromPost>): void {
    const { events } = this.#parts;
    switch (message.kind) {
      case "done":
        return this.#settle(message.id, ({ resolve }) => resolve(message.value));
      case "failed": {
        const error = new AppError(message.code, message.message);
        return this.#settle(message.id, ({ reject }) => reject(error));
      }
      case "post":
        return events.onPost?.(message.post);
      case "pong":
        return;
      case "closed":
        return this.#isClosed.resolve();
      case "mishap":
        return events.onMishap?.(message.reason);
    }
  }

  #onLate(id: number): void {
    const context = this.contextOf(id);
    const text = context === undefined ? undefined : this.#parts.deadline?.lateText?.(context);
    if (text === undefined) this.#die("it did not answer in time");
    else this.#cancel(id, new AppError("worker", text));
  }

  #cancel(id: number, error: AppError): void {
    if (this.#calls.get(id) === undefined) return;
    this.#send({ kind: "cancel", id });
    this.#settle(id, ({ reject }) => reject(error));
  }

  #settle(id: number, finish: (call: WaitingCall<Context>) => void): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    call.release();
    finish(call);
    this.#parts.events.onSettled?.();
  }

  /** The first call that waits: the next look is not put off until a Worker at rest would be asked. */
  #lookSooner(): void {
    if (this.#parts.heartbeat?.restLookMs !== undefined) this.#dropLook();
    this.#lookLater();
  }

  #lookLater(): void {
    const { heartbeat } = this.#parts;
    if (heartbeat === undefined || this.#isGone || this.#look !== undefined) return;
    const { lookMs, restLookMs = lookMs } = heartbeat;
    const ms = this.#calls.size === 0 ? restLookMs : lookMs;
    const timer = setTimeout(() => this.#lookNow(heartbeat), ms).unref();
    this.#look = { timer, dueAt: performance.now() + ms };
  }

  #dropLook(): void {
    clearTimeout(this.#look?.timer);
    this.#look = undefined;
  }

  #lookNow({
    isSteady,
    lookMs,
    silentLooksMax,
  }: HeartbeatTimes & { readonly isSteady: boolean }): void {
    const lateMs = performance.now() - (this.#look?.dueAt ?? 0);
    this.#look = undefined;
    if (!isSteady && this.#calls.size === 0) {
      this.#silentLooks = 0;
      return;
    }
    // This thread was held up: what the Worker has said may be waiting here.
    if (lateMs <= lookMs) this.#silentLooks += 1;
    if (this.#silentLooks > silentLooksMax) return this.#die(hungReason);
    if (this.#silentLooks > stoppedLooksMax && this.#parts.port.isStopped?.() === true) {
      return this.#die("its process was stopped");
    }
    this.#send({ kind: "ping" });
    this.#lookLater();
  }

  #die(reason: string): void {
    if (this.#isGone) return;
    this.#stop();
    this.#parts.events.onGone(reason);
    this.#loseAll(reason);
  }

  #end(reason: string): void {
    this.#stop();
    this.#loseAll(reason);
  }

  #stop(): void {
    this.#isGone = true;
    this.#dropLook();
    this.#isClosed.resolve();
    this.#parts.port.terminate();
  }

  #loseAll(reason: string): void {
    for (const [id, { context }] of this.#calls.entries()) {
      this.#settle(id, ({ reject }) => reject(this.#lostError(reason, context)));
    }
  }

  #lostError(reason: string, context: Context): AppError {
    return new AppError("worker", this.#parts.lostText(reason, context));
  }

  #send(message: ToWorker<Options, Call, ToPost>): void {
    if (!this.#isGone) this.#parts.port.postMessage(encodeToWorker(message));
  }
}
