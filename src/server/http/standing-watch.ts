import type { Principal } from "../auth/principal.ts";
import type { Standing } from "../auth/standing.ts";
import { standingLookMs } from "../../base/limits.ts";

export type StandingOf = (principal: Principal) => Standing;

/** Has what is open looked over now and then, so that a token that does not count any more keeps nothing open. */
export class StandingWatch {
  readonly #standingOf: StandingOf;
  readonly #review: (standingOf: StandingOf) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #seenWithdrawn = new Set<Principal>();

  /** @param review ends sessions and streams by the standing of their principals */
  constructor(
    standingOf: StandingOf,
    review: (standingOf: StandingOf) => void,
    lookMs: number = standingLookMs,
  ) {
    this.#standingOf = standingOf;
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
      const standing = this.#standingOf(principal);
      if (standing !== "withdrawn") return standing;
      now.add(principal);
      return before.has(principal) ? "withdrawn" : "valid";
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
