import { type Abortable, startTimer, type Timer } from "../../base/cancellation.ts";
import { cutEnd, formatDuration } from "../../base/cut-text.ts";
import { upstreamLeftCallsMax, upstreamSaidCharsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params, LogLevel } from "../../protocol/json-rpc.ts";
import { metaOf } from "../../protocol/message.ts";
import { AbandonedCalls } from "./abandoned-calls.ts";
import {
  ConnectionError,
  type OutgoingMessage,
  type ClientTransport,
  type TransportEvents,
} from "./connection.ts";
import { type PeerReply, malformed, readAnswer, shown } from "./read-reply.ts";

export interface PeerRequest extends CallOrigin {
  readonly method: string;
  readonly params: Params;
  readonly signal: Abortable;
  /** Absent: as long as the connection lives. */
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly hooks?: CallHooks;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before it is sent. */
  readonly onId?: (id: number) => void;
}

/** Receives the messages that the server sends on its own. Must not throw. */
export interface PeerEvents {
  onNotification(method: string, params: Params, call: PendingCall | undefined): void;
  /** A request of the server; `reply` sends the answer. */
  onRequest(request: Params, origin: PendingCall | undefined): void;
  onStray(text: string): void;
  onClosed(error: ConnectionError): void;
}

/**
 * JSON-RPC on scorpiox-code's side of a connection: ids, answers, cancellation. It only handles requests and answers, and
 * does not touch their content: results are passed on whole (docs/gateway.md#connections), unlike in the library's
 * client class.
 */
export class Peer implements TransportEvents {
  /** Set once, before anything is sent: transport and peer refer to each other. */
  transport!: ClientTransport;
  /** In the modern revisions the end of its stream cancels a request. */
  isModern = false;
  readonly #events: PeerEvents;
  readonly #calls = new Map<number, PendingCall>();
  readonly #disregarded = new Set<number>();
  /** Calls that were left before their answer, which may be a task; the oldest first. */
  readonly #left = new Map<number, PendingCall>();
  readonly #abandoned = new AbandonedCalls();
  #lastId = 0;
  #closed: ConnectionError | undefined;

  constructor(events: PeerEvents) {
    this.#events = events;
  }

  /** Calls that have no answer yet. */
  get calls(): readonly PendingCall[] {
    return [...this.#calls.values()];
  }

  /** True when the server may still be working on a call of another client, which left it before the answer. */
  mayWorkForOthers(clientId: string | undefined): boolean {
    return this.#abandoned.hasOthers(clientId);
  }

  /** @throws ConnectionError */
  request(request: PeerRequest): Promise<PeerReply> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (request.signal.aborted) return Promise.reject(cancelled());
    const call = new PendingCall(++this.#lastId, request.hooks ?? {}, request.idleMs, request);
    this.#calls.set(call.id, call);
    request.onId?.(call.id);
    // The limits are set up while the server already works on it.
    this.#send(request, call);
    call.follow(request.signal, () => this.#abandon(call, cancelled()));
    if (request.timeoutMs !== undefined) {
      call.limit(request.timeoutMs, (error) => this.#abandon(call, error));
    }
    return call.reply;
  }

  /**
   * Drops a call whose answer is not needed any more, without notifying the server: some requests must not be
   * cancelled.
   */
  disregard(id: number): void {
    if (this.#drop(id) !== undefined) this.#disregarded.add(id);
  }

  /** Ends a call whose answer was a task. */
  finish(call: PendingCall, end: Promise<PeerReply>): void {
    end.then(
      (reply) => this.#drop(call.id)?.settle(reply),
      (error: unknown) => this.#drop(call.id)?.fail(asConnectionError(error)),
    );
  }

  /** Never rejects: nothing waits for a notification. */
  async notify(method: string, params: Params = {}): Promise<void> {
    await this.transport.send({ jsonrpc: "2.0", method, params })?.catch(() => {});
  }

  /** Answers a request of the server. */
  reply(message: Params): void {
    this.transport.send({ jsonrpc: "2.0", ...message })?.catch(() => {});
  }

  onMessage(message: unknown, origin: number | undefined): void {
    if (Array.isArray(message)) {
      for (const each of message as readonly unknown[]) this.#take(each, origin);
    } else {
      this.#take(message, origin);
    }
  }

  onLost(id: number, error: ConnectionError): void {
    // The stream of its answer may end while the task goes on.
    if (this.#calls.get(id)?.task !== undefined) return;
    const call = this.#drop(id);
    if (call !== undefined) call.fail(error);
    else this.#events.onStray(`${error.message} (no call waits for it)`);
  }

  onStray(text: string): void {
    this.#events.onStray(text);
  }

  onClosed(error: ConnectionError): void {
    this.end(error);
    this.#events.onClosed(error);
  }

  /** Fails the waiting calls; nothing is sent any more. */
  end(error: ConnectionError): void {
    this.#closed ??= error;
    const calls = this.calls;
    this.#calls.clear();
    for (const call of calls) call.fail(error);
  }

  #send({ method, params, hooks, headers }: PeerRequest, call: PendingCall): void {
    const withToken =
      hooks?.onProgress === undefined
        ? params
        : { ...params, _meta: { ...metaOf(params), progressToken: call.id } };
    const message: OutgoingMessage = { jsonrpc: "2.0", id: call.id, method, params: withToken };
    const route = this.transport.hasRequestStreams
      ? { signal: call.gone, ...(headers ? { headers } : {}) }
      : undefined;
    this.transport.send(message, route)?.catch((error) => {
      this.#drop(call.id)?.fail(asConnectionError(error));
    });
  }

  /** Ends a call before its answer, and cancels it at the server as its era requires (CA8). */
  #abandon(call: PendingCall, error: ConnectionError): void {
    if (this.#drop(call.id) === undefined) return;
    // In this order: `call.fail` closes the stream, after which the server could not receive the reason.
    if (call.hooks.asking !== undefined) this.#abandoned.add(call.id, call.hooks.asking.clientId);
    if (call.task !== undefined) call.task.cancel();
    else if (!(this.isModern && this.transport.hasRequestStreams)) {
      void this.notify("notifications/cancelled", { requestId: call.id, reason: error.message });
      if (call.mayBecomeTask) this.#leave(call);
    }
    call.fail(error);
  }

  /** Its server may begin a task before it reads the cancellation, which does not end tasks. */
  #leave(call: PendingCall): void {
    const [oldest] = this.#left.keys();
    if (oldest !== undefined && this.#left.size >= upstreamLeftCallsMax) this.#left.delete(oldest);
    this.#left.set(call.id, call);
  }

  /** An answer that no call waits for any more. */
  #takeLate(message: Params): void {
    const { id } = message;
    if (typeof id === "number") {
      this.#abandoned.onAnswer(id);
      if (this.#disregarded.delete(id) || this.#cancelLateTask(id, message)) return;
    }
    this.#events.onStray(`An answer that nobody waits for: ${shown(message)}`);
  }

  /** @returns false when the call was not left, or is not known any more */
  #cancelLateTask(id: number, message: Params): boolean {
    const call = this.#left.get(id);
    if (call === undefined) return false;
    this.#left.delete(id);
    const reply = readAnswer(message);
    try {
      if (reply !== undefined && call.becomesTask(reply)) call.task?.cancel();
    } catch (error) {
      this.#events.onStray(`${asConnectionError(error).message} (no call waits for it)`);
    }
    return true;
  }

  #drop(id: number): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #take(message: unknown, origin: number | undefined): void {
    if (!isObject(message)) return this.#events.onStray(shown(message));
    const { method, id, params } = message;
    const bearer = origin === undefined ? undefined : this.#calls.get(origin);
    const from = bearer?.owner ?? bearer;
    if (typeof method !== "string") return this.#settle(message);
    if (id !== undefined) return this.#events.onRequest(message, from);
    this.#notice(method, isObject(params) ? params : {}, from);
  }

  #notice(method: string, params: Params, from: PendingCall | undefined): void {
    if (method !== "notifications/progress") {
      return this.#events.onNotification(method, params, from);
    }
    const { progressToken: token } = params;
    const call = typeof token === "number" ? this.#calls.get(token) : undefined;
    if (call === undefined) this.#events.onStray("Progress of a call that is over or unknown.");
    else call.noteProgress(params);
  }

  #settle(message: Params): void {
    const { id } = message;
    // Only numbers are ids of this peer: `""`, `"1"` and null are not.
    const call = typeof id === "number" ? this.#calls.get(id) : undefined;
    if (call === undefined || call.task !== undefined) return this.#takeLate(message);
    const reply = readAnswer(message);
    try {
      if (reply !== undefined && call.becomesTask(reply)) return;
    } catch (error) {
      return this.#drop(call.id)?.fail(asConnectionError(error));
    }
    this.#drop(call.id);
    if (reply === undefined) call.fail(malformed(message));
    else call.settle(reply);
  }
}

/** The interface of a waiting call to its client: questions, progress and log messages. */
export interface CallHooks {
  /** How to ask the client in this call; absent: it cannot be asked. */
  readonly asking?: {
    readonly capabilities: ClientCapabilities;
    /** The client that made the call; undefined when unknown. */
    readonly clientId?: string | undefined;
    ask(request: InputRequest): Promise<Params>;
  };
  readonly onProgress?:
    | ((progress: number, total: number | undefined, message: string | undefined) => void)
    | undefined;
  readonly onLog?:
    ((level: LogLevel, data: unknown, logger: string | undefined) => void) | undefined;
}

/** The work of a server for a call whose answer was a task. */
export interface ServerTask {
  readonly id: string;
  /** Nothing waits for it any more. Idempotent. */
  cancel(): void;
}

/** The origin of a request, and the meaning of its answer. */
export interface CallOrigin {
  /** The call that this request is a part of: messages on its stream belong to that call. */
  readonly owner?: PendingCall;
  /** The task, if the answer is one: the call goes on until `Peer.finish`. @throws ConnectionError */
  readonly taskOf?: (reply: PeerReply, call: PendingCall) => ServerTask | undefined;
}

/** One request that has no answer yet. Ends once. */
export class PendingCall {
  readonly #outcome = Promise.withResolvers<PeerReply>();
  /** Created on demand: calls over pipes do not need it. */
  #gone: AbortController | undefined;
  /** One for both limits; progress only notes its time, which costs no timer. */
  #timer: Timer | undefined;
  #lookAtLimits: () => void = () => {};
  /** Since when the server has been silent; Infinity while a question is open. */
  #silentSince = 0;
  /** Removes the listener of its client's cancellation. */
  #unfollow: () => void = () => {};
  #progress = -Infinity;
  /** The last progress that was passed on, either a step of the server or a status message of its task. */
  #told = -Infinity;
  #isOver = false;
  #task: ServerTask | undefined;
  /** The number of questions of the server so far, and whether one of them is open. */
  questions = 0;
  isAsking = false;
  #lastQuestion: Promise<unknown> = settled;

  constructor(
    readonly id: number,
    readonly hooks: CallHooks,
    private readonly idleMs: number | undefined,
    private readonly origin: CallOrigin = {},
  ) {}

  get owner(): PendingCall | undefined {
    return this.origin.owner;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Its answer may be a task. */
  get mayBecomeTask(): boolean {
    return this.origin.taskOf !== undefined;
  }

  /** The task, once the answer was one: it goes on. */
  get task(): ServerTask | undefined {
    return this.#task;
  }

  /** @throws ConnectionError */
  get reply(): Promise<PeerReply> {
    return this.#outcome.promise;
  }

  /** Aborted at its answer, or at its end without one. */
  get gone(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.#isOver || this.#task !== undefined) this.#gone.abort();
    return this.#gone.signal;
  }

  /** @param onAbort called when nobody wants the answer any more, as long as there is none */
  follow(signal: Abortable, onAbort: () => void): void {
    if (this.#isOver) return;
    signal.addEventListener("abort", onAbort, { once: true });
    this.#unfollow = () => signal.removeEventListener("abort", onAbort);
  }

  /** @param onLate cancels the call at the server */
  limit(timeoutMs: number, onLate: (error: ConnectionError) => void): void {
    if (this.#isOver) return;
    const { idleMs = Number.POSITIVE_INFINITY } = this;
    const late = (what: string): void => onLate(new ConnectionError("timeout", what));
    const now = performance.now();
    const endsAt = now + timeoutMs;
    this.#silentSince = now;
    this.#lookAtLimits = () => {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) return late(`No answer in ${formatDuration(timeoutMs)}.`);
      const idleLeftMs = leftMs - endsAt + this.#silentSince + idleMs;
      if (idleLeftMs <= 0) return late(`No answer and no progress in ${formatDuration(idleMs)}.`);
      this.#timer = startTimer(Math.min(leftMs, idleLeftMs), this.#lookAtLimits);
    };
    this.#timer = startTimer(Math.min(timeoutMs, idleMs), this.#lookAtLimits);
  }

  #onSign(): void {
    if (!this.isAsking) this.#silentSince = performance.now();
  }

  /** Progress that does not increase is ignored. */
  noteProgress({ progress, total, message }: Params): void {
    if (this.#isOver || typeof progress !== "number" || !(progress > this.#progress)) return;
    this.#progress = progress;
    this.#onSign();
    if (progress <= this.#told) return;
    this.#told = progress;
    const totalNumber = typeof total === "number" ? total : undefined;
    this.hooks.onProgress?.(
      progress,
      totalNumber,
      typeof message === "string" ? cutEnd(message, upstreamSaidCharsMax) : undefined,
    );
  }

  /** True when this answer is a task: the call keeps its limits and receives progress until the task has ended. */
  becomesTask(reply: PeerReply): boolean {
    this.#task = this.origin.taskOf?.(reply, this);
    if (this.#task === undefined) return false;
    this.#gone?.abort();
    return true;
  }

  /** Notes that its task has progressed: passes on the message, unless the server reports progress in steps. */
  noteStatus(message: string | undefined): void {
    if (this.#isOver) return;
    this.#onSign();
    if (message === undefined || this.#progress !== -Infinity) return;
    this.#told = Math.max(this.#told, 0) + 1;
    this.hooks.onProgress?.(this.#told, undefined, message);
  }

  /** Asks one question after the other, in their order. */
  inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#lastQuestion.then(ask);
    this.#lastQuestion = answer.catch(() => {});
    return answer;
  }

  /** Pauses the idle limit while a question is open: a person takes time to answer. */
  noteAsking(isAsking: boolean): void {
    this.isAsking = isAsking;
    if (isAsking) this.#silentSince = Number.POSITIVE_INFINITY;
    else if (!this.#isOver) {
      this.#onSign();
      // It may have been set for the end of the call alone.
      this.#timer?.stop();
      this.#lookAtLimits();
    }
  }

  settle(reply: PeerReply): void {
    this.#end();
    this.#outcome.resolve(reply);
  }

  fail(error: ConnectionError): void {
    this.#end();
    this.#outcome.reject(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#timer?.stop();
    this.#unfollow();
    this.#gone?.abort();
  }
}

const settled = Promise.resolve();

function cancelled(): ConnectionError {
  return new ConnectionError("cancelled", "The call was cancelled.");
}

function asConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError("lost", error instanceof Error ? error.message : String(error));
}
