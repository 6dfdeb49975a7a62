import { Cancellation } from "../../base/cancellation.ts";
import { requestsInFlightMax } from "../../base/limits.ts";
import type { ReplyRecord } from "../../base/reply-record.ts";
import type { ClientContext } from "../../calls/call.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { InputResponses } from "../../protocol/input-request.ts";
import type { LogLevel, Params, RequestId } from "../../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";
import type { ProgressReporter } from "./progress.ts";
import type { Outbox, ReplyLane, RequestOrigin } from "./replies.ts";

/** One `ask` of a handler, as the next round will know it. */
export interface Round {
  /** A digest of each question: an answer is valid for exactly that question. */
  readonly asked: Readonly<Record<string, string>>;
  /** The good answers so far. */
  readonly answers: InputResponses;
  /** Milliseconds since 1970: when the client was sent what it had not answered. */
  readonly askedAt: number;
  /** Milliseconds until all answers were there. */
  readonly tookMs?: number;
}

/** The answers of a client that comes back. */
export interface BroughtRounds {
  /** The last one is the client's latest question; empty when it brought no state. */
  readonly rounds: readonly Round[];
  /** `params.inputResponses`, unchecked. */
  readonly responses: Params;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** Whom a request is from, and in which revision it was asked. */
export interface Asker {
  readonly version: ProtocolVersion;
  readonly client: ClientContext;
  readonly capabilities: ClientCapabilities;
  /** Log messages below it are not sent; undefined = none are (docs/spec/modern.md#notifications). Read at each message. */
  readonly logLevel: LogLevel | undefined;
}

interface IncomingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
}

/** One request from its arrival to its reply. Owned by the dispatcher. */
export class ActiveRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
  readonly asker: Asker;
  readonly version: ProtocolVersion;
  readonly client: ClientContext;
  /** The outbox for messages of this request. */
  readonly lane: ReplyLane;
  /** Ends with the request: nothing for its token is sent after the reply. */
  progress: ProgressReporter | undefined;
  /** The earlier answers of a modern client; set before the handler runs. */
  brought: BroughtRounds | undefined;
  /** Marks of work that must not be repeated, of earlier rounds too; sealed into the state of the next. */
  marks: readonly string[] | undefined;
  /** The record of the parts that the reply gives. */
  record: ReplyRecord | undefined;
  /** Cancelled by `cancel`. */
  readonly cancellation = new Cancellation();
  #isAnswered = false;
  #isAskedToEnd = false;
  #endGracefully: (() => void) | undefined;

  constructor(message: IncomingRequest, asker: Asker, lane: ReplyLane) {
    this.id = message.id;
    this.method = message.method;
    this.params = message.params;
    this.asker = asker;
    this.version = asker.version;
    this.client = asker.client;
    this.lane = lane;
  }

  get isCancelled(): boolean {
    return this.cancellation.isCancelled;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** True from the reply on, or from the cancellation: nothing may mention the request any more. */
  get isOver(): boolean {
    return this.#isAnswered || this.isCancelled;
  }

  /** For requests without an end: `end` answers them when the server goes, at once when it is going already. */
  onEndGracefully(end: () => void): void {
    this.#endGracefully = end;
    if (this.#isAskedToEnd) end();
  }

  /** The server is going: a request without an end is answered. */
  endGracefully(): void {
    this.#isAskedToEnd = true;
    this.#endGracefully?.();
  }

  /** The reply is about to be sent: progress that waits goes out before it, none after it. */
  markAnswered(): void {
    this.progress?.finish();
    this.#isAnswered = true;
  }

  /** Stops the work. From here on nothing mentions the request's id or token. */
  cancel(): void {
    this.progress?.stop();
    this.cancellation.cancel();
  }
}

/** The requests of one connection that are not answered yet. The ids `1` and `"1"` are two. */
export class InFlight {
  /** Over HTTP there is rarely another: it needs no map, which would cost more than the rest of this. */
  #first: ActiveRequest | undefined;
  #others: Map<RequestId, ActiveRequest> | undefined;
  readonly #requestsMax: number;
  /** Includes cancelled requests whose work has not ended yet. */
  #running = 0;
  #settled: PromiseWithResolvers<void> | undefined;

  constructor(requestsMax: number = requestsInFlightMax) {
    this.#requestsMax = requestsMax;
  }

  get isFull(): boolean {
    return this.#running >= this.#requestsMax;
  }

  /** Requests that wait for their reply. */
  get size(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  has(id: RequestId): boolean {
    return this.#get(id) !== undefined;
  }

  begin(request: ActiveRequest): void {
    if (this.#first === undefined) this.#first = request;
    else (this.#others ??= new Map()).set(request.id, request);
    this.#running += 1;
  }

  /** Frees the id at once: a cancelled request gets no reply. */
  cancel(id: RequestId): void {
    const request = this.#get(id);
    this.#delete(id);
    request?.cancel();
  }

  cancelAll(): void {
    for (const { id } of this.#all()) this.cancel(id);
  }

  /** The server is going: open subscriptions get their result (docs/spec/modern.md#teardown). */
  endSubscriptions(): void {
    for (const request of this.#all()) request.endGracefully();
  }

  /** The work has ended, whether or not it was cancelled before. */
  end(request: ActiveRequest): void {
    this.#running -= 1;
    if (!request.isCancelled) this.#delete(request.id);
    if (this.#running === 0) this.#settled?.resolve();
  }

  /** Resolves when no work is under way, that of cancelled requests included. */
  settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    this.#settled = Promise.withResolvers<void>();
    return this.#settled.promise;
  }

  #get(id: RequestId): ActiveRequest | undefined {
    return this.#first?.id === id ? this.#first : this.#others?.get(id);
  }

  #delete(id: RequestId): void {
    if (this.#first?.id === id) this.#first = undefined;
    else this.#others?.delete(id);
  }

  #all(): ActiveRequest[] {
    const others = this.#others?.values() ?? [];
    return this.#first === undefined ? [...others] : [this.#first, ...others];
  }
}

/** The lane of everything that comes by a pipe: replies and the rest go out the same way, in order. */
export class PipeLane implements ReplyLane {
  readonly origin: RequestOrigin | undefined;
  readonly #outbox: Outbox;

  constructor(outbox: Outbox, origin?: RequestOrigin) {
    this.#outbox = outbox;
    this.origin = origin;
  }

  get isCongested(): boolean {
    return this.#outbox.isCongested;
  }

  send(text: string): void {
    this.#outbox.send(text);
  }

  reply(text: string | undefined, _code?: number, record?: ReplyRecord): void {
    if (text !== undefined) this.#outbox.send(text, record);
  }
}
