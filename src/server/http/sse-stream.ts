import { sseWaitingBytesMax } from "../../base/limits.ts";
import { sseHeaders } from "./responses.ts";

/** Past this an optional message waits or is left out. */
const congestedBytes = sseWaitingBytesMax / 16;

/** The body of one SSE response: events go out as they are written, until one side ends it. */
export class SseStream {
  readonly response: Response;
  readonly #onGone: () => void;
  #controller: ReadableStreamDefaultController<string> | undefined;
  #isOver = false;

  /** @param onGone called once when the client closed the connection, or reads so slowly that we did */
  constructor(onGone: () => void, extraHeaders?: Readonly<Record<string, string>>) {
    this.#onGone = onGone;
    const body = new ReadableStream<string>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#lose(),
      },
      { size: (text) => text?.length ?? 0, highWaterMark: sseWaitingBytesMax },
    );
    this.response = new Response(body, { headers: { ...sseHeaders, ...extraHeaders } });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True while the client reads more slowly than we write. */
  get isCongested(): boolean {
    const room = this.#controller?.desiredSize ?? 0;
    return room < sseWaitingBytesMax - congestedBytes;
  }

  /** One or more encoded events. A reader that lets too much wait is cut off: it can come back for the rest. */
  write(events: string): void {
    if (this.#isOver || this.#controller === undefined) return;
    if ((this.#controller.desiredSize ?? 0) <= 0) {
      this.#controller.error(new Error("the client does not read"));
      return this.#lose();
    }
    this.#controller.enqueue(events);
  }

  /** Pending writes still go out, and `last` after them, however many wait. */
  end(last?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (last !== undefined) this.#controller?.enqueue(last);
    this.#controller?.close();
  }

  #lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onGone();
  }
}
