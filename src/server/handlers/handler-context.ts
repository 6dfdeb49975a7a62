import type { Cancellation } from "../../base/cancellation.ts";
import { answerMarginMs, entriesPerPageMax } from "../../base/limits.ts";
import type { ReplyRecord } from "../../base/reply-record.ts";
import { isObject } from "../../base/values.ts";
import type { AskClient, AskOptions } from "../../calls/ask-client.ts";
import type { ObservedRequest } from "../../calls/call-observer.ts";
import type {
  CallRequest,
  ClientContext,
  ProgressUpdate,
  RequestContext,
} from "../../calls/call.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  canBeAsked,
  type InputKind,
  type InputRequests,
  type InputResponses,
} from "../../protocol/input-request.ts";
import {
  encodeNotification,
  isWantedAt,
  type LogLevel,
  type Params,
} from "../../protocol/json-rpc.ts";
import { cutListPage, type ListPage, type PagedList } from "../../protocol/list-parts.ts";
import {
  readPassedMeta,
  readProgressToken,
  type ProtocolVersion,
  isModernVersion,
} from "../../protocol/message.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { ProgressReporter } from "../connection/progress.ts";
import {
  invalidParams,
  type MethodReply,
  resultReply,
  cancelledReply,
} from "../connection/replies.ts";
import type { ServedConnection } from "../context/server-context.ts";

/** The services for the handler of one request; created from the request as they are used. */
export class HandlerContext implements RequestContext {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;
  readonly version: ProtocolVersion;
  readonly client: ClientContext;
  readonly cancellation: Cancellation;
  readonly onProgress?: (update: ProgressUpdate) => void;
  #ask: AskClient | undefined;

  constructor(request: ActiveRequest, connection: ServedConnection) {
    this.#request = request;
    this.#connection = connection;
    this.version = request.version;
    this.client = request.client;
    this.cancellation = request.cancellation;
    const token = readProgressToken(request.params);
    if (token === undefined) return;
    const progress = new ProgressReporter(token, request.version, request.lane);
    request.progress = progress;
    this.onProgress = (update) => progress.report(update);
  }

  get capabilities(): ClientCapabilities {
    return this.#request.asker.capabilities;
  }

  /** With the span of the request, where it has one, as the parent. */
  get passedMeta(): Params | undefined {
    const passed = readPassedMeta(this.#request.params);
    const traceparent = this.observed?.ownTraceparent;
    return traceparent === undefined ? passed : { ...passed, traceparent };
  }

  get observed(): ObservedRequest | undefined {
    return this.#request.lane.observed;
  }

  get ask(): AskClient {
    this.#ask ??= new LazyAsk(this.#request, this.#connection);
    return this.#ask;
  }

  /** @see CallRequest.atReply */
  atReply(record: ReplyRecord): void {
    this.#request.record = record;
  }

  /**
   * Sends `notifications/message` on the lane of the request: only at or above the level that the client asked
   * for, not after the reply, and not to a client that does not read (docs/spec/modern.md#notifications). Never give it secrets.
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const { asker, lane, isOver } = this.#request;
    const least = asker.logLevel;
    if (least === undefined || !isWantedAt(level, least)) return;
    if (isOver || lane.isCongested) return;
    lane.send(encodeNotification("notifications/message", { level, logger, data }));
  }
}

/** A `tools/call` as `ToolProvider` takes it. */
export class ToolCall extends HandlerContext implements CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly answerAt: number | undefined;
  readonly closeStream?: () => void;

  constructor(name: string, args: unknown, request: ActiveRequest, connection: ServedConnection) {
    super(request, connection);
    this.name = name;
    this.args = args;
    this.answerAt = answerTimeOf(request.client);
    const { closeEarly } = request.lane;
    if (closeEarly !== undefined) this.closeStream = closeEarly;
  }
}

/** For a call that has just come. */
function answerTimeOf({ limits }: ClientContext): number | undefined {
  const { answerMs } = limits;
  if (answerMs === 0) return undefined;
  // Half of a limit that is shorter than the margin twice over.
  return performance.now() + Math.max(answerMs - answerMarginMs, answerMs / 2);
}

/** The page of a list that the request asks for; a foreign cursor is -32602 (docs/spec/modern.md#tools). */
export function pageReply<Entry>(
  request: ActiveRequest,
  list: PagedList<Entry>,
  encode: (page: ListPage<Entry>) => string,
): MethodReply {
  const page = cutListPage(list, request.params?.cursor, entriesPerPageMax);
  return page === undefined ? unknownCursor() : resultReply(encode(page));
}

export function unknownCursor(): MethodReply {
  return invalidParams(
    "cursor is unknown, or the list has changed; ask without a cursor for the first page",
  );
}

/**
 * Runs a handler that may ask, after what the client has brought along was opened: a state that is not good
 * ends the request before anything is done (docs/spec/modern.md#questions). Costs nothing when it brought nothing.
 */
export function withRounds(
  request: ActiveRequest,
  connection: ServedConnection,
  run: () => MethodReply | Promise<MethodReply>,
): MethodReply | Promise<MethodReply> {
  const { params, version } = request;
  // Legacy requests know neither: there the two are members like any other.
  const brought = params?.requestState !== undefined || params?.inputResponses !== undefined;
  return brought && isModernVersion(version) ? runLater(request, connection, run) : run();
}

async function runLater(
  request: ActiveRequest,
  { server }: ServedConnection,
  run: () => MethodReply | Promise<MethodReply>,
): Promise<MethodReply> {
  const arrivedAt = Date.now();
  const { invalidState, openRounds } = await import("../ask/state-seal.ts");
  const { requestState, inputResponses: responses = {} } = request.params ?? {};
  if (!isObject(responses)) throw invalidState("inputResponses must be an object");
  const rounds =
    requestState === undefined ? [] : await openRounds(requestState, request, server, arrivedAt);
  if (request.isCancelled) return cancelledReply;
  request.brought = { rounds, responses, arrivedAt };
  return run();
}

/**
 * How the client of a request is asked: by server requests (legacy) or by rounds (modern). Few calls ask: what that takes is
 * loaded when the first one does.
 */
class LazyAsk implements AskClient {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;
  #loaded: Promise<AskClient> | undefined;
  #made: AskClient | undefined;

  constructor(request: ActiveRequest, connection: ServedConnection) {
    this.#request = request;
    this.#connection = connection;
  }

  get endsCall(): boolean {
    return isModernVersion(this.#request.version);
  }

  get isReplaying(): boolean {
    if (this.#made !== undefined) return this.#made.isReplaying === true;
    return (this.#request.brought?.rounds.length ?? 0) > 0;
  }

  mark(what: string): void {
    this.#request.marks = [...(this.#request.marks ?? []), what];
  }

  isMarked(what: string): boolean {
    return this.#request.marks?.includes(what) === true;
  }

  marksWith(prefix: string): readonly string[] {
    const marks = this.#request.marks?.filter((mark) => mark.startsWith(prefix)) ?? [];
    return marks.map((mark) => mark.slice(prefix.length));
  }

  /** Only what was declared; a legacy client not before it is initialized (docs/spec/legacy.md#sessions). */
  can(kind: InputKind): boolean {
    const { version, asker } = this.#request;
    const isReady = isModernVersion(version) || this.#connection.session.isInitialized;
    return isReady && canBeAsked(asker.capabilities, kind);
  }

  async ask(requests: InputRequests, options?: AskOptions): Promise<InputResponses> {
    this.#loaded ??= load(this.#request, this.#connection);
    this.#made = await this.#loaded;
    return this.#made.ask(requests, options);
  }
}

async function load(request: ActiveRequest, connection: ServedConnection): Promise<AskClient> {
  if (isModernVersion(request.version)) {
    const { ReplayedAsk } = await import("../ask/replayed-ask.ts");
    return new ReplayedAsk(request, connection);
  }
  const { LegacyAsk } = await import("../ask/legacy-ask.ts");
  return new LegacyAsk(request, connection);
}
