import { batchReplyCharsMax } from "../../base/limits.ts";
import { FaultError } from "../../calls/ask-client.ts";
import type { ObservedRequest } from "../../calls/call-observer.ts";
import type { InputRequests } from "../../protocol/input-request.ts";
import { joinedRecord, type ReplyRecord } from "../../base/reply-record.ts";
import {
  createFault,
  errorCodes,
  type ProtocolFault,
  encodeError,
  type RequestId,
} from "../../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";
import type { Transport } from "../transport/transport.ts";

/** Where an HTTP request came from; made only where observers watch. */
export interface RequestOrigin {
  readonly address: string | undefined;
  /** Its `traceparent` header, unchecked. */
  readonly traceparent: string | undefined;
  /** A request in it has reached the dispatcher, which reports its end. */
  isReceived: boolean;
}

/**
 * One way to the client, on which a request waits for its one reply: the pipe for all that comes by it, or the
 * response to one HTTP request.
 */
export interface ReplyLane extends Outbox {
  /** Absent where nobody watches, and on a pipe. */
  readonly origin?: RequestOrigin | undefined;
  /** Present while observers watch the request. */
  readonly observed?: ObservedRequest;
  /** HTTP, 2025-11-25: ends the response now; what follows waits until the client comes back for it. */
  readonly closeEarly?: () => void;
  /** Undefined: there is none, the request was cancelled. `code` is that of the error, if it is one. */
  reply(text: string | undefined, code?: number, record?: ReplyRecord): void;
}

/** The sending half of a connection, as the server sees it. */
export type Outbox = Pick<Transport, "send" | "isCongested">;

/** The result of a method. Nothing is sent for `cancelled`; `input-required` is for three modern methods only. */
export type MethodReply =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    }
  | { readonly kind: "cancelled" };

export const cancelledReply: MethodReply = { kind: "cancelled" };

export function resultReply(json: string): MethodReply {
  return { kind: "result", json };
}

export function faultReply(fault: ProtocolFault): MethodReply {
  return { kind: "fault", fault };
}

export function invalidParams(message: string, data?: unknown): MethodReply {
  return faultReply(createFault(errorCodes.invalidParams, `Invalid params: ${message}`, data));
}

/** As `invalidParams`, to be thrown. */
export function badParams(message: string): FaultError {
  return new FaultError(createFault(errorCodes.invalidParams, `Invalid params: ${message}`));
}

/** A reply that can be sent as it is. */
export type FinalReply = Exclude<MethodReply, { readonly kind: "input-required" }>;

/** A round of questions, ready to be sent. Few calls ask: what encodes it is loaded with the first. */
export async function encodedRound(
  round: Extract<MethodReply, { readonly kind: "input-required" }>,
  version: ProtocolVersion,
): Promise<FinalReply> {
  const { encodeInputRequired } = await import("../../protocol/input-request-codec.ts");
  return { kind: "result", json: encodeInputRequired(round, version) };
}

const tooMuch = createFault(
  errorCodes.internalError,
  `The replies to this batch have more than ${batchReplyCharsMax} characters: send fewer requests at a time`,
);

/** Collects the replies of one JSON-RPC batch; they go out as one array (docs/spec/legacy.md#batches). */
export class BatchReplies {
  readonly #lane: ReplyLane;
  readonly #replies: string[] = [];
  readonly #records: ReplyRecord[] = [];
  #chars = 0;
  #expected = 0;
  #isComplete = false;

  constructor(lane: ReplyLane) {
    this.#lane = lane;
  }

  /**
   * A place for one reply, to be filled once; undefined fills it with nothing, for a cancelled request. A reply that
   * is too much for one message becomes an error with `id`.
   */
  expect(id: RequestId | undefined): ReplyLane {
    const lane = this.#lane;
    this.#expected += 1;
    return {
      origin: lane.origin,
      send: (text) => lane.send(text),
      get isCongested() {
        return lane.isCongested;
      },
      reply: (text, _code, record) => {
        this.#expected -= 1;
        if (text !== undefined) this.#add(id, text, record);
        this.#replyWhenComplete();
      },
    };
  }

  #add(id: RequestId | undefined, text: string, record: ReplyRecord | undefined): void {
    const isTooMuch = this.#chars + text.length > batchReplyCharsMax;
    if (isTooMuch) record?.dropped();
    else if (record !== undefined) this.#records.push(record);
    const reply = isTooMuch ? encodeError(id, tooMuch) : text;
    this.#chars += reply.length;
    this.#replies.push(reply);
  }

  /** All elements have been read: no more places will be asked for. */
  complete(): void {
    this.#isComplete = true;
    this.#replyWhenComplete();
  }

  /** There is no reply to a batch of notifications, responses and cancelled requests. */
  #replyWhenComplete(): void {
    if (!this.#isComplete || this.#expected > 0) return;
    this.#isComplete = false;
    const text = this.#replies.length === 0 ? undefined : `[${this.#replies.join(",")}]`;
    this.#lane.reply(text, undefined, joinedRecord(this.#records));
  }
}
