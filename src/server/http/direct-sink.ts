import { encodeEvent, keepAliveComment } from "../transport/http/event-store.ts";
import type { EventSink } from "./response-lane.ts";
import { SseStream } from "./sse-stream.ts";

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
