import { batchElementsMax } from "../base/limits.ts";
import { replyOfError } from "../calls/ask-client.ts";
import { readEnvelope } from "../protocol/client-capabilities.ts";
import {
  createFault,
  encodeError,
  encodeResult,
  errorCodes,
  type ProtocolFault,
  type RequestId,
} from "../protocol/json-rpc.ts";
import {
  type BatchMessage,
  type ClassifiedMessage,
  classifyMessage,
  type LegacyRequest,
  type ModernRequest,
} from "../protocol/message.ts";
import { ActiveRequest, type Asker, PipeLane } from "./connection/active-request.ts";
import { observedLane } from "./connection/observed-lane.ts";
import {
  BatchReplies,
  type ReplyLane,
  encodedRound,
  type FinalReply,
  type MethodReply,
} from "./connection/replies.ts";
import { isOffered } from "./context/offered-capabilities.ts";
import type { ServedConnection } from "./context/server-context.ts";
import { handleNotification } from "./handlers/lifecycle.ts";
import { legacyMethods, type Method, modernMethods } from "./methods.ts";
import type { TransportEvent } from "./transport/transport.ts";

type SingleMessage = Exclude<ClassifiedMessage, BatchMessage>;

/** Compares what else was said of a modern request with the request: HTTP headers. */
export type ModernCheck = (message: ModernRequest) => ProtocolFault | undefined;

/**
 * Message → method → reply, for one connection. Decides the era of each message by itself, gives each id
 * at most one reply, and knows neither tools nor bytes.
 */
export class Dispatcher {
  readonly #connection: ServedConnection;
  readonly #checkModern: ModernCheck | undefined;

  constructor(connection: ServedConnection, checkModern?: ModernCheck) {
    this.#connection = connection;
    this.#checkModern = checkModern;
  }

  /**
   * How a pipe's events are received: replies to cheap methods are sent before this returns.
   * @param onFirst called once, in a turn of its own, when the first events have been handled
   */
  receiver(onFirst?: () => void): (events: readonly TransportEvent[]) => void {
    const lane = new PipeLane(this.#connection.outbox);
    let next = onFirst;
    return (events) => {
      for (const event of events) {
        if (event.kind === "unreadable") lane.reply(encodeError(undefined, event.fault));
        else this.receive(classifyMessage(event.value), lane);
      }
      if (next !== undefined) setImmediate(next);
      next = undefined;
    };
  }

  /** Takes one message; its reply, if it gets one, goes to `lane`. Others get `lane.reply(undefined)` only in a batch. */
  receive(message: ClassifiedMessage, lane: ReplyLane): void {
    if (message.kind === "batch") this.#receiveBatch(message.elements, lane);
    else this.#receiveMessage(message, () => lane);
  }

  /** `place` is asked for a way to reply only by messages that get a reply. */
  #receiveMessage(message: SingleMessage, place: () => ReplyLane): void {
    switch (message.kind) {
      case "legacy-request":
        return this.#startLegacy(message, this.#watched(message, place()));
      case "modern-request":
        return this.#startModern(message, this.#watched(message, place()));
      case "notification":
        return handleNotification(message, this.#connection);
      case "response":
        return this.#connection.clientRequests.settle(message);
      case "invalid":
        return replyError(place(), message.id, message);
    }
  }

  /** `lane`, through which observers learn of the end of the request where there are any. */
  #watched(message: LegacyRequest | ModernRequest, lane: ReplyLane): ReplyLane {
    const { server, session } = this.#connection;
    const { observer } = server;
    return observer === undefined ? lane : observedLane(observer, message, session, lane);
  }

  /** Batches exist in 2025-03-26 only (docs/spec/legacy.md#batches). */
  #receiveBatch(elements: readonly unknown[], lane: ReplyLane): void {
    const { session, assumedVersion } = this.#connection;
    if ((session.version ?? assumedVersion) !== "2025-03-26") {
      return replyError(
        lane,
        undefined,
        batchFault("batches exist in protocol revision 2025-03-26 only"),
      );
    }
    if (elements.length === 0) {
      return replyError(lane, undefined, batchFault("a batch must not be empty"));
    }
    if (elements.length > batchElementsMax) {
      const detail = `a batch must not have more than ${batchElementsMax} elements`;
      return replyError(lane, undefined, batchFault(detail));
    }
    const replies = new BatchReplies(lane);
    const seenIds = new Set<string | number>();
    for (const element of elements) {
      const message = refuseInBatch(classifyMessage(element), seenIds);
      this.#receiveMessage(message, () => replies.expect(idOf(message)));
    }
    replies.complete();
  }

  #startLegacy(message: LegacyRequest, lane: ReplyLane): void {
    const { session } = this.#connection;
    const method = legacyMethods.get(message.method);
    if (session.version === undefined && method?.needsNoSession !== true) {
      const hint = `${message.method} needs a session: send initialize first`;
      return replyError(lane, message.id, createFault(errorCodes.invalidRequest, hint));
    }
    if (method === undefined || !this.#isOffered(method)) {
      return replyError(lane, message.id, unknownMethod(message.method));
    }
    this.#start(message, session.legacyAsker(lane), method, lane);
  }

  #startModern(message: ModernRequest, lane: ReplyLane): void {
    const reading = readEnvelope(message.meta, () => this.#checkModern?.(message));
    if (reading.kind === "fault") return replyError(lane, message.id, reading.fault);
    const method = modernMethods.get(message.method);
    if (method === undefined || !this.#isOffered(method)) {
      return replyError(lane, message.id, unknownMethod(message.method));
    }
    this.#start(message, this.#connection.session.modernAsker(reading.envelope), method, lane);
  }

  #isOffered({ needs }: Method): boolean {
    return needs === undefined || isOffered(this.#connection.server.features, needs);
  }

  #start(
    message: LegacyRequest | ModernRequest,
    asker: Asker,
    method: Method,
    lane: ReplyLane,
  ): void {
    const { inFlight } = this.#connection;
    const request = new ActiveRequest(message, asker, lane);
    // An error with this id would be a second reply to it, so the refusal has none.
    if (inFlight.has(request.id)) {
      const detail = `Invalid request: id ${JSON.stringify(request.id).slice(0, 200)} is in flight`;
      return replyError(lane, undefined, createFault(errorCodes.invalidRequest, detail));
    }
    if (method.isLong === true && inFlight.isFull) {
      const fault = createFault(errorCodes.internalError, "Too many requests in flight: try later");
      return replyError(lane, request.id, fault);
    }
    const outcome = this.#handle(method, request);
    if (!(outcome instanceof Promise)) return answer(request, outcome);
    inFlight.begin(request);
    outcome.then(
      (settled) => this.#settle(request, settled),
      (error: unknown) => this.#settle(request, replyOfError(error)),
    );
  }

  /** A handler that throws instead of rejecting ends its own request and no other. */
  #handle(method: Method, request: ActiveRequest): FinalReply | Promise<MethodReply> {
    let outcome: MethodReply | Promise<MethodReply>;
    try {
      outcome = this.#elsewhere(method, request) ?? method.handle(request, this.#connection);
    } catch (error) {
      outcome = replyOfError(error);
    }
    if (outcome instanceof Promise || outcome.kind !== "input-required") return outcome;
    return encodedRound(outcome, request.version);
  }

  /** Undefined: it runs here. */
  #elsewhere(method: Method, request: ActiveRequest): Promise<MethodReply> | undefined {
    const { elsewhere } = this.#connection.server;
    if (elsewhere === undefined) return undefined;
    const { caller } = this.#connection;
    const here = (): MethodReply | Promise<MethodReply> => method.handle(request, this.#connection);
    return caller && elsewhere.handle(request, caller(), here);
  }

  #settle(request: ActiveRequest, settled: MethodReply): void {
    if (settled.kind !== "input-required") return this.#finish(request, settled);
    void encodedRound(settled, request.version).then((reply) => this.#finish(request, reply));
  }

  #finish(request: ActiveRequest, settled: FinalReply): void {
    this.#connection.inFlight.end(request);
    if (request.isCancelled) {
      request.record?.dropped();
      return request.lane.reply(undefined);
    }
    answer(request, settled);
  }
}

/** Replies, and ends what was made for the request, however its handler ended. */
function answer(request: ActiveRequest, reply: FinalReply): void {
  const { id, lane, record } = request;
  request.markAnswered();
  if (reply.kind !== "result") record?.dropped();
  switch (reply.kind) {
    case "result":
      return lane.reply(encodeResult(id, reply.json), undefined, record);
    case "fault":
      return replyError(lane, id, reply.fault);
    case "cancelled":
      return lane.reply(undefined);
  }
}

function replyError(lane: ReplyLane, id: string | number | undefined, fault: ProtocolFault): void {
  lane.reply(encodeError(id, fault), fault.code);
}

/** A message that may not be in a batch becomes an error of its own element (docs/spec/legacy.md#batches). */
function refuseInBatch(message: ClassifiedMessage, seenIds: Set<string | number>): SingleMessage {
  const code = errorCodes.invalidRequest;
  if (message.kind === "batch") {
    return { kind: "invalid", code, message: "Invalid request: a batch must not hold a batch" };
  }
  if (message.kind !== "legacy-request" && message.kind !== "modern-request") return message;
  const { id } = message;
  if (seenIds.has(id)) {
    return { kind: "invalid", code, message: "Invalid request: an id is twice in the batch" };
  }
  seenIds.add(id);
  if (message.kind === "modern-request") {
    return { kind: "invalid", code, id, message: "Invalid request: send it alone, not in a batch" };
  }
  if (message.method !== "initialize") return message;
  return { kind: "invalid", code, id, message: "Invalid request: initialize must be sent alone" };
}

function idOf(message: SingleMessage): RequestId | undefined {
  return message.kind === "notification" ? undefined : message.id;
}

function batchFault(detail: string): ProtocolFault {
  return createFault(errorCodes.invalidRequest, `Invalid request: ${detail}`);
}

function unknownMethod(method: string): ProtocolFault {
  return createFault(errorCodes.methodNotFound, `Method not found: ${method.slice(0, 200)}`);
}
