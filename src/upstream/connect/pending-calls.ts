import { startTimer, type Timer } from "../../base/cancellation.ts";
import { cutEnd, formatDuration } from "../../base/cut-text.ts";
import { upstreamSaidCharsMax } from "../../base/upstream-limits.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { LogLevel, Params, ProtocolFault } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";

export type PeerReply =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/** The interface of a waiting call to its client: questions, progress and log messages. */
export interface CallHooks {
  /** How to ask the client in this call; absent: it cannot be asked. */
  readonly asking?: {
    readonly capabilities: ClientCapabilities;
    /** The client that made the call; undefined when unknown. */
    readonly clientId?: string | undefined;
    ask(request: InputRequest): Promise<Params>;
  };
  readonly onProgress?: (
    progress: number,
    total: number | undefined,
    message: string | undefined,
  ) => void;
  readonly onLog?: (level: LogLevel, data: unknown, logger: string | undefined) => void;
}

const settled = Promise.resolve();

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
  follow(signal: AbortSignal, onAbort: () => void): void {
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
