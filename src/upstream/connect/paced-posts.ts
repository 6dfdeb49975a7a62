import { upstreamPostsAtOnceMax, upstreamPostsWaitingMax } from "../../base/upstream-limits.ts";
import { Turns } from "../../base/turns.ts";
import { ConnectionError } from "./connection.ts";

/**
 * Notifications and answers to one HTTP server, a few at a time: a flood of its questions must not take the connections
 * that other servers need, and what it does not take must not pile up.
 */
export class PacedPosts {
  readonly #turns = new Turns(upstreamPostsAtOnceMax);
  readonly #ended = new AbortController();
  #count = 0;

  /** @throws ConnectionError `busy` when too many wait; whatever `post` throws; AppError `cancelled` at the end */
  async run(post: () => Promise<void>): Promise<void> {
    if (this.#count >= upstreamPostsWaitingMax) {
      throw new ConnectionError("busy", "The server does not take what is sent to it.");
    }
    this.#count += 1;
    try {
      using _turn = await this.#turns.take(this.#ended.signal);
      await post();
    } finally {
      this.#count -= 1;
    }
  }

  /** What waits is not sent any more. */
  end(): void {
    this.#ended.abort();
  }
}
