import type { CallRequest } from "../call.ts";
import type { CallWatcher } from "./gate-stage.ts";

/** How many tool calls each client has under way; callbacks and idleness hang on it. */
export class RunningCalls implements CallWatcher {
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Set<(clientId: string, running: number) => void>();

  began({ client }: CallRequest): void {
    this.#set(client.id, this.of(client.id) + 1);
  }

  ended({ client }: CallRequest): void {
    this.#set(client.id, this.of(client.id) - 1);
  }

  of(clientId: string): number {
    return this.#counts.get(clientId) ?? 0;
  }

  /** Calls `listener` when the number of a client's running calls becomes 0 or is not 0 any more. */
  listen(listener: (clientId: string, running: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(clientId: string, running: number): void {
    const before = this.of(clientId);
    if (running > 0) this.#counts.set(clientId, running);
    else this.#counts.delete(clientId);
    if ((before === 0) === (running === 0)) return;
    for (const listener of this.#listeners) listener(clientId, running);
  }
}
