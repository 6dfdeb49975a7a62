import { IdTable } from "../../base/cancellation.ts";
import {
  sseWaitingBytesMax,
  httpFirstByteMsMax,
  httpKeepAliveMs,
  tokenLookMs,
} from "../../base/limits.ts";
import type { Principal, TokenState } from "../auth/principal.ts";
import { encodeEvent, type StoredEvent } from "../transport/http/event-store.ts";

const sseHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies such as nginx would hold events back (docs/spec/modern.md#endpoint).
  "x-accel-buffering": "no",
};

/** The events of a stream that has ended. */
export function replayResponse(events: readonly StoredEvent[]): Response {
  return new Response(events.map((event) => encodeEvent(event)).join(""), { headers: sseHeaders });
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
  constructor(onGone: () => void) {
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
    this.response = new Response(body, { headers: sseHeaders });
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

/** Something that wants to be called while it waits. */
export interface Beating {
  /** True while the client has not even the head of its response. */
  readonly isSilent: boolean;
  beat(): void;
}

interface Waiting {
  readonly lane: Beating;
  /** When it was last heard of, on the clock of `performance.now()`. */
  since: number;
}

/**
 * One timer for all responses that wait: the head goes out soon, so that clients and proxies do not give up,
 * then a sign of life every 15 s. Costs a call nothing but its place in a table.
 */
export class Heartbeat {
  readonly #waiting = new IdTable<Waiting>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Its number, for `delete`. */
  add(lane: Beating): number {
    this.#timer ??= setInterval(() => this.#beat(), httpFirstByteMsMax / 2).unref();
    return this.#waiting.add({ lane, since: performance.now() });
  }

  delete(number: number): void {
    this.#waiting.delete(number);
  }

  #beat(): void {
    const now = performance.now();
    for (const [number, waiting] of this.#waiting.entries()) {
      const { lane, since } = waiting;
      const dueMs = lane.isSilent ? httpFirstByteMsMax / 2 : httpKeepAliveMs;
      // One beat may be the end of another lane.
      if (now - since < dueMs || this.#waiting.get(number) === undefined) continue;
      waiting.since = now;
      lane.beat();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export type TokenStateOf = (principal: Principal) => TokenState;

/** Has what is open looked over now and then, so that a token that does not count any more keeps nothing open. */
export class TokenWatch {
  readonly #tokenStateOf: TokenStateOf;
  readonly #review: (tokenStateOf: TokenStateOf) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #seenWithdrawn = new Set<Principal>();

  /** @param review ends sessions and streams by the state of their tokens */
  constructor(
    tokenStateOf: TokenStateOf,
    review: (tokenStateOf: TokenStateOf) => void,
    lookMs: number = tokenLookMs,
  ) {
    this.#tokenStateOf = tokenStateOf;
    this.#review = review;
    this.#timer = setInterval(() => this.look(), lookMs).unref();
  }

  /**
   * A token is withdrawn when two checks in a row miss it: an editor that rewrites the file leaves none, or an empty one, for a
   * moment, which must not end everybody's work.
   */
  look(): void {
    const before = this.#seenWithdrawn;
    const now = new Set<Principal>();
    this.#seenWithdrawn = now;
    this.#review((principal) => {
      const state = this.#tokenStateOf(principal);
      if (state === "revoked") return "withdrawn";
      if (state !== "withdrawn") return state;
      now.add(principal);
      return before.has(principal) ? "withdrawn" : "valid";
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
