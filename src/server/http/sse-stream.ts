import { sseWaitingBytesMax } from "../../base/limits.ts";
import {
  createFault,
  encodeError,
  errorCodes,
  type ProtocolFault,
} from "../../protocol/json-rpc.ts";
import { encodeEvent, type StoredEvent } from "../transport/http/event-store.ts";

const sseHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies such as nginx would hold events back (docs/spec/modern.md#endpoint).
  "x-accel-buffering": "no",
};

/** Shared by all responses: new headers cost a tenth of a small answer. */
const jsonHeaders = new Headers({ "content-type": "application/json" });

export function jsonResponse(
  text: string,
  status: number,
  more?: Readonly<Record<string, string>>,
): Response {
  if (more === undefined) return new Response(text, { status, headers: jsonHeaders });
  return new Response(text, { status, headers: { "content-type": "application/json", ...more } });
}

/** A notification or response was taken (202), or there is nothing to say any more. */
export function accepted(): Response {
  return new Response(null, { status: 202 });
}

export function noContent(): Response {
  return new Response(null, { status: 204 });
}

/** A refusal before any request was read: a JSON-RPC error without id (docs/spec/modern.md#endpoint). */
export function refusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  const fault = createFault(errorCodes.invalidRequest, message);
  return jsonResponse(encodeError(undefined, fault), status, headers);
}

export function tooManySessions(): Response {
  const message = "The limit of sessions is reached: try again later.";
  return refusal(503, message, { "retry-after": "60" });
}

/** The events of a stream that has ended. */
export function replayResponse(events: readonly StoredEvent[]): Response {
  return new Response(events.map((event) => encodeEvent(event)).join(""), { headers: sseHeaders });
}

export function faultResponse(
  status: number,
  fault: ProtocolFault,
  id?: string | number,
): Response {
  return jsonResponse(encodeError(id, fault), status);
}

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
