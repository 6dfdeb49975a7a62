import { IdTable } from "../../base/id-table.ts";
import { httpFirstByteMsMax, httpKeepAliveMs, tokenLookMs } from "../../base/limits.ts";
import type { Principal, TokenState } from "../auth/principal.ts";

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
      if (state !== "withdrawn") return state;
      now.add(principal);
      return before.has(principal) ? "withdrawn" : "valid";
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
