import type { ReplyRecord } from "../../base/reply-record.ts";
import type { ReplyLane, RequestOrigin } from "../connection/replies.ts";
import { encodeEvent, keepAliveComment } from "../transport/http/event-store.ts";
import { accepted, jsonResponse } from "./responses.ts";
import { type Heartbeat, SseStream } from "./sse-stream.ts";

interface ResponseLaneParts {
  /** HTTP status of a reply that is JSON alone; `code` is that of its error. */
  readonly statusOf: (code: number | undefined) => number;
  /** Called at most once, when a stream is needed. */
  readonly openSink: () => EventSink;
  /** Opens a stream for requests that take long, and keeps it alive. */
  readonly heartbeat: Heartbeat;
  readonly headers?: Readonly<Record<string, string>>;
  /** See `ReplyLane`. */
  readonly origin?: RequestOrigin | undefined;
}

/** The answer to one POST: JSON when the reply is all there is, an SSE stream when something comes before it. */
export class ResponseLane implements ReplyLane {
  readonly #parts: ResponseLaneParts;
  readonly #onOver: (() => void) | undefined;
  #answer: Response | undefined;
  #resolve: ((response: Response) => void) | undefined;
  #sink: EventSink | undefined;
  /** Its place in the heartbeat, once it has to wait. */
  #beatNumber: number | undefined;
  #isOver = false;
  /** Present where the stream may end before its time (2025-11-25). */
  readonly closeEarly?: () => void;

  /** @param onOver called once, when the reply has been given */
  constructor(parts: ResponseLaneParts, canCloseEarly = false, onOver?: () => void) {
    this.#parts = parts;
    this.#onOver = onOver;
    if (canCloseEarly) this.closeEarly = () => this.#openSink().closeEarly?.();
  }

  get origin(): RequestOrigin | undefined {
    return this.#parts.origin;
  }

  /** True while the client has nothing of the response yet, not even its head. */
  get isSilent(): boolean {
    return this.#answer === undefined;
  }

  get isCongested(): boolean {
    return this.#sink?.isCongested ?? false;
  }

  /** The response: at once when the reply is there already. Called once, after the message was dispatched. */
  take(): Response | Promise<Response> {
    // A stream that is open already needs signs of life like one that opens late.
    if (!this.#isOver) this.#beatNumber = this.#parts.heartbeat.add(this);
    if (this.#answer !== undefined) return this.#answer;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Answers with a stream although the reply may be all there is. */
  open(): void {
    this.#openSink();
  }

  send(text: string): void {
    if (!this.#isOver) this.#openSink().send(text);
  }

  reply(text: string | undefined, code?: number, record?: ReplyRecord): void {
    // The response may be asked for again, and nobody says when it has been read.
    record?.taken();
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#beatNumber !== undefined) this.#parts.heartbeat.delete(this.#beatNumber);
    if (this.#sink !== undefined) this.#sink.finish(text);
    else this.#respond(this.#jsonAnswer(text, code));
    this.#onOver?.();
  }

  /** Called now and then while there is no reply: opens the stream, then keeps it from falling asleep. */
  beat(): void {
    // The head of a stream goes out with its first bytes.
    this.#openSink().keepAlive();
  }

  #jsonAnswer(text: string | undefined, code: number | undefined): Response {
    const { headers, statusOf } = this.#parts;
    // Only requests that were cancelled have no reply, and batches without requests.
    return text === undefined ? accepted() : jsonResponse(text, statusOf(code), headers);
  }

  #openSink(): EventSink {
    if (this.#sink === undefined) {
      this.#sink = this.#parts.openSink();
      this.#respond(this.#sink.response);
    }
    return this.#sink;
  }

  #respond(response: Response): void {
    this.#answer = response;
    this.#resolve?.(response);
  }
}

/** Where the messages of one response stream go: to the client at once, or kept until it comes back. */
export interface EventSink {
  readonly response: Response;
  readonly isCongested: boolean;
  send(text: string): void;
  /** A sign of life, so that nobody on the way gives up on a silent stream. */
  keepAlive(): void;
  /** The last message. */
  finish(text: string | undefined): void;
  /** Ends the response while the stream goes on; undefined where streams cannot be resumed. */
  readonly closeEarly?: () => void;
}

/** A stream that ends with its response: modern streams cannot be resumed (docs/spec/modern.md#endpoint). */
export class DirectSink implements EventSink {
  readonly #stream: SseStream;

  /** @param onGone the client closed the response: it wants the request no more */
  constructor(onGone: () => void) {
    this.#stream = new SseStream(onGone);
  }

  get response(): Response {
    return this.#stream.response;
  }

  get isCongested(): boolean {
    return this.#stream.isCongested;
  }

  send(text: string): void {
    this.#stream.write(encodeEvent({ data: text }));
  }

  keepAlive(): void {
    this.#stream.write(keepAliveComment);
  }

  finish(text: string | undefined): void {
    this.#stream.end(text === undefined ? undefined : encodeEvent({ data: text }));
  }
}
