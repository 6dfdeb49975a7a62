import { recentClientsMax } from "../../base/limits.ts";
import type { CallRequest, ClientContext } from "../call.ts";
import type { CallWatcher } from "./gate-stage.ts";

type Listener = (clientId: string, running: number) => void;

/** The clients that call tools: the running calls of each, since when it has none, and the most recent callers. */
export class CallingClients implements CallWatcher {
  /** When the last running call of each idle client ended, the oldest first; a reader that has used an entry deletes it. */
  readonly idleSince = new Map<string, number>();
  /** The calls so far. */
  begun = 0;
  readonly #counts = new Map<string, number>();
  /** As they were at their last call, which is the order. */
  readonly #recent = new Map<string, ClientContext>();
  /** Clients that are gone, of which calls are still under way. */
  readonly #gone = new Set<string>();
  readonly #listeners = new Map<Listener, { has(clientId: string): boolean } | undefined>();

  began({ client }: CallRequest): void {
    this.begun += 1;
    this.#recent.delete(client.id);
    this.#recent.set(client.id, client);
    if (this.#recent.size > recentClientsMax) {
      const [oldest] = this.#recent.keys();
      this.#recent.delete(oldest ?? "");
    }
    this.#set(client.id, this.of(client.id) + 1);
  }

  ended({ client }: CallRequest): void {
    this.#set(client.id, this.of(client.id) - 1);
  }

  /** How many calls of the client are under way. */
  of(clientId: string): number {
    return this.#counts.get(clientId) ?? 0;
  }

  /** True while no client waits for a call. */
  get isQuiet(): boolean {
    return this.#counts.size === 0;
  }

  /** The clients that called last, the last one at the end. */
  recent(): readonly ClientContext[] {
    return [...this.#recent.values()];
  }

  /** The client is gone. */
  forget(clientId: string): void {
    this.#recent.delete(clientId);
    this.idleSince.delete(clientId);
    if (this.of(clientId) > 0) this.#gone.add(clientId);
  }

  /**
   * Calls `listener` when the number of a client's running calls becomes 0 or is not 0 any more.
   * @param clients the clients that it wants to know this of; absent = all
   */
  listen(listener: Listener, clients?: { has(clientId: string): boolean }): () => void {
    this.#listeners.set(listener, clients);
    return () => this.#listeners.delete(listener);
  }

  #set(clientId: string, running: number): void {
    const before = this.of(clientId);
    if (running > 0) this.#counts.set(clientId, running);
    else this.#counts.delete(clientId);
    if ((before === 0) === (running === 0)) return;
    this.idleSince.delete(clientId);
    const isGone = running === 0 && this.#gone.delete(clientId);
    if (running === 0 && !isGone) this.idleSince.set(clientId, performance.now());
    for (const [listener, clients] of this.#listeners) {
      if (clients?.has(clientId) !== false) listener(clientId, running);
    }
  }
}
