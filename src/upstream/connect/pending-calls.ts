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

/** What is told to, and asked of, whoever waits for an answer. */
export interface CallHooks {
  /** What the client can be asked for in this call; absent: nothing. */
  readonly asking?: {
    readonly capabilities: ClientCapabilities;
    /** Whose call it is; undefined when nobody knows. */
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

/** What a server does for a call whose answer was a task. */
export interface ServerTask {
  readonly id: string;
  /** Nobody waits for it any more. Idempotent. */
  cancel(): void;
}

/** Where a request comes from, and what its answer may be besides the end. */
export interface CallOrigin {
  /** The call that this request is a part of: what comes on its stream is that call's. */
  readonly owner?: PendingCall;
  /** The task that the answer is, if it is one: the call goes on until `Peer.finish`. @throws ConnectionError */
  readonly taskOf?: (reply: PeerReply, call: PendingCall) => ServerTask | undefined;
}

/** One request that has no answer yet. Ends once. */
export class PendingCall {
  readonly #outcome = Promise.withResolvers<PeerReply>();
  /** Made when somebody asks for it: calls over pipes do not. */
  #gone: AbortController | undefined;
  readonly #timers: Timer[] = [];
  #idleTimer: Timer | undefined;
  #progress = -Infinity;
  /** The last that was passed on, be it a step of the server or a word of its task. */
  #told = -Infinity;
  #isOver = false;
  #task: ServerTask | undefined;
  /** Questions of the server so far, and whether one of them is open. */
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

  /** Its answer was a task, which goes on. */
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

  /** @param onLate tells the server that nobody waits */
  limit(timeoutMs: number, onLate: (error: ConnectionError) => void): void {
    if (this.#isOver) return;
    const late = (what: string): void => onLate(new ConnectionError("timeout", what));
    this.#timers.push(
      startTimer(timeoutMs, () => late(`No answer in ${formatDuration(timeoutMs)}.`)),
    );
    const { idleMs } = this;
    if (idleMs === undefined) return;
    const restart = (): void => {
      this.#idleTimer?.stop();
      this.#idleTimer = startTimer(idleMs, () =>
        late(`No answer and no progress in ${formatDuration(idleMs)}.`),
      );
    };
    restart();
    this.#onSign = restart;
  }

  #onSign: () => void = () => {};

  /** Progress that does not go on is no progress. */
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

  /** True when this answer is a task: the call keeps its limits and hears of progress until that has ended. */
  becomesTask(reply: PeerReply): boolean {
    this.#task = this.origin.taskOf?.(reply, this);
    if (this.#task === undefined) return false;
    this.#gone?.abort();
    return true;
  }

  /** Its task has gone on: in words, if it has any and the server counts no steps. */
  noteStatus(message: string | undefined): void {
    if (this.#isOver) return;
    this.#onSign();
    if (message === undefined || this.#progress !== -Infinity) return;
    this.#told = Math.max(this.#told, 0) + 1;
    this.hooks.onProgress?.(this.#told, undefined, message);
  }

  /** One question after the other, in their order. */
  inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#lastQuestion.then(ask);
    this.#lastQuestion = answer.catch(() => {});
    return answer;
  }

  /** A question is open: the person who answers it takes time. */
  noteAsking(isAsking: boolean): void {
    this.isAsking = isAsking;
    if (isAsking) this.#idleTimer?.stop();
    else if (!this.#isOver) this.#onSign();
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
    this.#idleTimer?.stop();
    for (const timer of this.#timers) timer.stop();
    this.#gone?.abort();
  }
}
