import type { Outbox } from "./outbox.ts";

/**
 * One way to the client, on which a request waits for its one reply: the pipe for all that comes by it, or the
 * response to one HTTP request.
 */
export interface ReplyLane extends Outbox {
  /** HTTP, 2025-11-25: ends the response now; what follows waits until the client comes back for it. */
  readonly closeEarly?: () => void;
  /** Undefined: there is none, the request was cancelled. `code` is that of the error, if it is one. */
  reply(text: string | undefined, code?: number): void;
}
