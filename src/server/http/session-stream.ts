import { httpRetryMs } from "../../base/limits.ts";
import type { EventStore, StoredEvent } from "../transport/http/event-store.ts";
import {
  encodeEvent,
  encodePriming,
  encodeRetry,
  keepAliveComment,
} from "../transport/http/sse.ts";
import type { EventSink } from "./event-sink.ts";
import type { Beating } from "./heartbeat.ts";
import { SseStream } from "./sse-stream.ts";

export interface SessionStreamParts {
  readonly number: number;
  readonly store: EventStore;
  /** 2025-11-25: an event with an id and no data comes first, so that a client can come back from the start. */
  readonly primes: boolean;
  /** The stream has ended; its events stay in the store. */
  readonly onFinished?: () => void;
}

/**
 * One stream of a legacy session. It lives on without a connection: what is sent is kept, and a client that
 * comes back with the id of the last event it saw gets the rest (docs/spec/legacy.md#streams).
 */
export class SessionStream implements EventSink, Beating {
  readonly #parts: SessionStreamParts;
  #attached: SseStream | undefined;
  #isFinished = false;
  readonly response: Response;
  readonly closeEarly?: () => void;

  constructor(parts: SessionStreamParts, headers?: Readonly<Record<string, string>>) {
    this.#parts = parts;
    this.response = this.#attach(headers).response;
    if (!parts.primes) return;
    this.#attached?.write(encodePriming(parts.store.append(parts.number, "")));
    this.closeEarly = () => this.disconnect();
  }

  /** True while a client reads it. */
  get isAttached(): boolean {
    return this.#attached?.isOver === false;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isCongested(): boolean {
    return this.#attached?.isCongested ?? false;
  }

  send(text: string): void {
    const event = this.#stored(text);
    this.#attached?.write(event);
  }

  /** Its head is out from the start. */
  get isSilent(): boolean {
    return false;
  }

  beat(): void {
    this.keepAlive();
  }

  keepAlive(): void {
    this.#attached?.write(keepAliveComment);
  }

  finish(text: string | undefined): void {
    this.#isFinished = true;
    const event = text === undefined ? undefined : this.#stored(text);
    this.#attached?.end(event);
    this.#parts.onFinished?.();
  }

  /** A client has come back: `missed` first, then what is still to come. It takes the place of an earlier reader. */
  resume(missed: readonly StoredEvent[]): Response {
    this.#attached?.end();
    const stream = this.#attach();
    stream.write(missed.map((event) => encodeEvent(event)).join("") || keepAliveComment);
    if (this.#isFinished) stream.end();
    return stream.response;
  }

  /** Closes the connection alone: the client may come back. */
  disconnect(): void {
    this.#attached?.write(encodeRetry(httpRetryMs));
    this.#attached?.end();
    this.#attached = undefined;
  }

  /** Keeps the message and returns its event. */
  #stored(text: string): string {
    const { store, number } = this.#parts;
    return encodeEvent({ id: store.append(number, text), data: text });
  }

  #attach(headers?: Readonly<Record<string, string>>): SseStream {
    const stream = new SseStream(() => {
      // A broken connection cancels nothing in a legacy session.
      if (this.#attached === stream) this.#attached = undefined;
    }, headers);
    this.#attached = stream;
    return stream;
  }
}
