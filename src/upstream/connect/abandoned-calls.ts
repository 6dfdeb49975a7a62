import { upstreamAbandonedCallsMax } from "../../base/upstream-limits.ts";

/** Calls that were left before their answer, by client: a question of the server may belong to them. */
export class AbandonedCalls {
  readonly #clients = new Map<number, string | undefined>();
  #isFull = false;

  add(id: number, clientId: string | undefined): void {
    // None is forgotten: from here on there may always be one.
    if (this.#clients.size >= upstreamAbandonedCallsMax) this.#isFull = true;
    else this.#clients.set(id, clientId);
  }

  /** The server has ended it. */
  onAnswer(id: number): void {
    this.#clients.delete(id);
  }

  /** Whether one of another client may go on. */
  hasOthers(clientId: string | undefined): boolean {
    return this.#isFull || [...this.#clients.values()].some((other) => other !== clientId);
  }
}
