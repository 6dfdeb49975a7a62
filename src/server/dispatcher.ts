import { messageOf } from "../base/errors.ts";
import {
  classifyMessage,
  type BatchMessage,
  type ClassifiedMessage,
  type LegacyRequest,
  type ModernRequest,
} from "../protocol/classify.ts";
import { readEnvelope } from "../protocol/envelope.ts";
import { createFault, encodeError, encodeResult, errorCodes } from "../protocol/json-rpc.ts";
import type { ProtocolFault } from "../protocol/tool-types.ts";
import type { TransportEvent } from "../transport/transport.ts";
import { ActiveRequest } from "./active-request.ts";
import { BatchReplies } from "./batch.ts";
import type { Connection } from "./connection.ts";
import { handleNotification } from "./handlers/notifications.ts";
import type { MethodReply } from "./method.ts";
import { legacyMethods, modernMethods, type Method } from "./methods.ts";

/** Takes the one reply of a request; undefined when it gets none. */
type ReplyTo = (text: string | undefined) => void;
type SingleMessage = Exclude<ClassifiedMessage, BatchMessage>;

/**
 * Message → method → reply, for one connection. Decides the era of each message by itself, gives each id
 * at most one reply, and knows neither tools nor bytes.
 */
export class Dispatcher {
  readonly #connection: Connection;
  readonly #sendReply: ReplyTo;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#sendReply = (text) => {
      if (text !== undefined) connection.outbox.send(text);
    };
  }

  /** Replies to cheap methods are sent before this returns. */
  readonly receive = (events: readonly TransportEvent[]): void => {
    for (const event of events) {
      if (event.kind === "unreadable") this.#sendReply(encodeError(undefined, event.fault));
      else this.#receiveValue(event.value);
    }
  };

  #receiveValue(value: unknown): void {
    const message = classifyMessage(value);
    if (message.kind === "batch") this.#receiveBatch(message.elements);
    else this.#receiveMessage(message, () => this.#sendReply);
  }

  /** `place` is asked for a way to reply only by messages that get a reply. */
  #receiveMessage(message: SingleMessage, place: () => ReplyTo): void {
    switch (message.kind) {
      case "legacy-request":
        return this.#startLegacy(message, place());
      case "modern-request":
        return this.#startModern(message, place());
      case "notification":
        return handleNotification(message, this.#connection);
      case "response":
        return this.#connection.clientRequests.settle(message);
      case "invalid":
        return place()(encodeError(message.id, message));
    }
  }

  /** Batches exist in 2025-03-26 only (legacy.md section 3). */
  #receiveBatch(elements: readonly unknown[]): void {
    if (this.#connection.session.version !== "2025-03-26") {
      return this.#sendReply(invalidRequest("batches exist in protocol revision 2025-03-26 only"));
    }
    if (elements.length === 0) return this.#sendReply(invalidRequest("a batch must not be empty"));
    const replies = new BatchReplies(this.#sendReply);
    const seenIds = new Set<string | number>();
    for (const element of elements) {
      const message = refuseInBatch(classifyMessage(element), seenIds);
      this.#receiveMessage(message, replies.expect);
    }
    replies.complete();
  }

  #startLegacy(message: LegacyRequest, reply: ReplyTo): void {
    const { session } = this.#connection;
    const method = legacyMethods.get(message.method);
    if (session.version === undefined && method?.needsNoSession !== true) {
      const hint = `${message.method} needs a session: send initialize first`;
      return reply(encodeError(message.id, createFault(errorCodes.invalidRequest, hint)));
    }
    if (method === undefined) return reply(encodeError(message.id, unknownMethod(message.method)));
    const version = session.version ?? "2025-11-25";
    this.#start(new ActiveRequest(message, version, session.client), method, reply);
  }

  #startModern(message: ModernRequest, reply: ReplyTo): void {
    const reading = readEnvelope(message.meta);
    if (reading.kind === "fault") return reply(encodeError(message.id, reading.fault));
    const method = modernMethods.get(message.method);
    if (method === undefined) return reply(encodeError(message.id, unknownMethod(message.method)));
    const { version, clientName } = reading.envelope;
    const client = this.#connection.session.modernClient(clientName);
    this.#start(new ActiveRequest(message, version, client), method, reply);
  }

  #start(request: ActiveRequest, method: Method, reply: ReplyTo): void {
    const { inFlight } = this.#connection;
    // An error with this id would be a second reply to it, so the refusal has none.
    if (inFlight.has(request.id)) {
      return reply(invalidRequest(`id ${JSON.stringify(request.id).slice(0, 200)} is in flight`));
    }
    if (method.isLong === true && inFlight.isFull) {
      const fault = createFault(errorCodes.internalError, "Too many requests in flight: try later");
      return reply(encodeError(request.id, fault));
    }
    const outcome = method.handle(request, this.#connection);
    if (!(outcome instanceof Promise)) return reply(encodeReply(request, outcome));
    inFlight.begin(request);
    outcome.then(
      (settled) => this.#finish(request, settled, reply),
      (error: unknown) => this.#finish(request, internalError(error), reply),
    );
  }

  #finish(request: ActiveRequest, settled: MethodReply, reply: ReplyTo): void {
    this.#connection.inFlight.end(request);
    if (request.isCancelled) return reply(undefined);
    request.progress?.finish();
    reply(encodeReply(request, settled));
  }
}

function encodeReply(request: ActiveRequest, reply: MethodReply): string | undefined {
  switch (reply.kind) {
    case "result":
      return encodeResult(request.id, reply.json);
    case "fault":
      return encodeError(request.id, reply.fault);
    case "cancelled":
  }
  return undefined;
}

/** What may not be in a batch becomes an error of its own element (legacy.md section 3). */
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

function invalidRequest(detail: string): string {
  return encodeError(
    undefined,
    createFault(errorCodes.invalidRequest, `Invalid request: ${detail}`),
  );
}

function unknownMethod(method: string): ProtocolFault {
  return createFault(errorCodes.methodNotFound, `Method not found: ${method.slice(0, 200)}`);
}

/** A handler that rejects is a defect of ours; the client still gets its one reply. */
function internalError(error: unknown): MethodReply {
  const fault = createFault(errorCodes.internalError, `Internal error: ${messageOf(error)}`);
  return { kind: "fault", fault };
}
